/** Texts about issues, pull requests and checks on GitHub. */
export const codehostTexts = {
  "codehost.unsafeServer":
    "{address} isn't the address of a GitHub Enterprise server. Enter it with https://, as in https://github.example.com.",
  "codehost.redirected":
    "{host} redirects to another server, which doesn't get your token. If the repository has moved, change the remote's address.",
  "codehost.unreachable": "{host} can't be reached: {why}. Check your network, then try again.",
  "codehost.signedOut": "{host} no longer accepts your sign-in. Sign in again, then try again. Nothing was changed.",
  "codehost.limited": {
    one: "{host} accepts no more requests from you now. Try again in {count} second.",
    other: "{host} accepts no more requests from you now. Try again in {count} seconds.",
  },
  "codehost.forbidden":
    "You aren't allowed to do that in {repository}. {host} says: {words}. Ask an owner of the repository for access, or sign in with another account.",
  "codehost.noRepository":
    "{repository} can't be found. Either it was deleted, or your account can't see it. Check the remote's address, or sign in with another account.",
  "codehost.noIssue":
    "{repository} has no #{number} that your account can see. Check the number, or sign in with another account.",
  "codehost.deleted": "#{number} of {repository} was deleted. Choose another one.",
  "codehost.serverDown": "{host} has a problem (status {status}). Try again later. Nothing was lost.",
  "codehost.refused": "{host} refused the request: {words}. Change that, then try again.",
  "codehost.pullExists":
    "There's already an open pull request for this branch on {host}. Open it, or choose another branch.",
  "codehost.noFolder": "Open a folder with a git repository first.",
  "codehost.noRepositoryHere": "{folder} isn't in a git repository. Open the folder of one.",
  "codehost.noRemote":
    "This repository has no remote yet. Publish it to GitHub with the Source Control view first, then try again.",
  "codehost.otherRemote":
    "The remotes of this repository are on {hosts}, not on GitHub. For GitHub Enterprise, set github-enterprise.uri to the server's address.",
  "codehost.noGit": "The repository can't be read. {why}",
  "codehost.unrelated":
    "These commits have nothing in common with {base}, so there's nothing to compare. Choose another branch in git.",
  "codehost.fetchFirst":
    "The last commit of {base} isn't known here, so it can't be shown what would be sent. Run git fetch, then try again.",
  "codehost.tooManyFiles":
    "More files differ from {base} than can be shown here. Push with git in a terminal, and create the pull request on GitHub.",
  "codehost.changedMeanwhile":
    "The changes are no longer the ones that were shown, so nothing was pushed. Create the pull request again.",
  "codehost.noCommits": "This repository has no commits yet. Make the first commit, then try again.",
  "codehost.noRights":
    "You can't push to {repository}. Fork it on GitHub, add your fork as a remote with git remote add, then try again.",
  "codehost.nothingToSend":
    "There's nothing to send: this run left no changes, and {branch} has no commits that {base} doesn't have.",
  "codehost.onBase": "Choose another name: {branch} is the branch that the pull request is for.",
  "codehost.branchTaken":
    "{repository} already has a branch {branch} with other commits. Choose another name. Nothing was pushed.",
  "codehost.notPushed": "The branch wasn't pushed. {why}",
  "codehost.signInFirst": "Sign in to {host} first. Nothing was sent.",
  "codehost.noIssueName": "{name} isn't an issue. Enter its number, as in @issue:12, or owner/name#12.",
  "codehost.title": "Create pull request",
  "codehost.preparing": "Preparing the pull request",
  "codehost.draftingText": "Drafting its title and text",
  "codehost.branchPrompt": "New branch in {repository} for the changes. Your checked-out files stay as they are.",
  "codehost.titlePrompt": "Title of the pull request for {base} in {repository}",
  "codehost.emptyTitle": "A pull request needs a title.",
  "codehost.confirm": "Create this pull request in {repository}?",
  "codehost.confirmDirection": "{source} → {target}",
  "codehost.sendsCommits": { one: "{count} commit is pushed:", other: "{count} commits are pushed:" },
  "codehost.sendsFiles": { one: "{count} file differs:", other: "{count} files differ:" },
  "codehost.createButton": "Create pull request",
  "codehost.editTextButton": "Edit text",
  "codehost.editing": "Edit the text in the editor, then continue here. Nothing was sent yet.",
  "codehost.continueButton": "Continue",
  "codehost.sending": "Pushing the branch and creating the pull request",
  "codehost.created": "Pull request #{number} is ready: {title}",
  "codehost.openButton": "Open",
  "codehost.copyLinkButton": "Copy link",
  "codehost.signInButton": "Sign in",
  "codehost.confirmPush": "Push this to pull request #{number} of {repository}?",
  "codehost.pushButton": "Push…",
  "codehost.pushNowButton": "Push",
  "codehost.readingChecks": "Reading the failed checks",
  "codehost.noFailedChecks":
    "No check of the commit {commit} has failed on GitHub. If the failure is of another commit, check that one out or pull first.",
  "codehost.repairAction": "Repair failed checks",
  "codehost.whichChecks": "Repair which checks?",
  "codehost.withoutLog": "No log that can be read",
  "codehost.repairTitle": "Repair {names}",
  "codehost.stillFails": "The command still fails in the copy: {command}",
  "codehost.passesNow": "The command passes in the copy now: {command}",
  "codehost.reviewButton": "Review",
  "codehost.readingComments": "Reading the review comments",
  "codehost.detached": "No branch is checked out, so there's no pull request to look for. Check out its branch first.",
  "codehost.noPull":
    "There's no open pull request of the branch {branch}. Create it first, or check out another branch.",
  "codehost.noThreads": "Pull request #{number} has no unresolved review comments.",
  "codehost.answerTitle": "Answer review comments",
  "codehost.whichComments": "Answer which comments?",
  "codehost.answerRunTitle": "Answer the review of #{number}",
  "codehost.repliesDrafted": {
    one: "{count} reply to a review comment is drafted. You decide whether it's sent.",
    other: "{count} replies to review comments are drafted. You decide whether they are sent.",
  },
  "codehost.showRepliesButton": "Show replies",
  "codehost.sendReply": "Send this reply in pull request #{number}?",
  "codehost.yourReply": "Your reply:",
  "codehost.commentOn": "The conversation on {file}:",
  "codehost.sendReplyButton": "Send",
  "codehost.editReplyButton": "Edit",
  "codehost.skipButton": "Skip",
  "codehost.replySent": "The reply on {file} was sent.",
  "codehost.tryAgainButton": "Try again",
} as const;
