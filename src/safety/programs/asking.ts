import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { indexByName } from "./program.ts";

/** A call of a program that asks in every mode. */
export interface AskingCall {
  /** Tested on the arguments, joined by blanks; blanks inside one are underscores there. Absent: any arguments. */
  readonly args?: RegExp;
  /** Tested on the raw words of the whole line, including those of its other commands. */
  readonly text?: RegExp;
  /** Arguments for which the call doesn't ask. */
  readonly except?: RegExp;
  /** The call asks only beside one of these commands. */
  readonly beside?: RegExp;
}

/** Calls that ask for the same reason. */
export interface AskingFamily {
  /** A clause; each is a row of the texts for people. */
  readonly says: DisplayText;
  /** Calls for the documentation. */
  readonly examples: string;
  /** By the names of programs, as in `indexByName`; a pattern alone is that of the arguments. */
  readonly calls: Readonly<Record<string, readonly (RegExp | AskingCall)[]>>;
}

const REMOVES =
  /(?:^| )(?:--?)?(?:[\w:-]*(?:delete|destroy|terminate|purge|deprovision|uninstall|undefine|deregister|teardown)[\w:-]*|remove-\w[\w-]*|remove|rm|rb|rmdir|nuke)(?:=\S*)?(?= |$)/i;
const DESTROYING_SQL =
  /\bdrop\s+(?:database|schema|table|user|role|index|view|materialized|collection|keyspace|type|function|trigger|owned|extension|sequence|tablespace)\b|\btruncate\b|\bdelete\s+from\b(?![^;]*\bwhere\b)|\bupdate\s+\S+\s+set\b(?![^;]*\bwhere\b)|\balter\s+table\b[^;]*\bdrop\b|dropDatabase|dropCollection|dropIndexes|\.drop\s*\(|(?:deleteMany|remove)\s*\(\s*(?:\{\s*\})?\s*\)|\bdetach\s+delete\b/i;

/** Everything that asks in every mode outside the walls of an isolated run, by what it would do. Paths are in `writes-outside.ts`, protected files in `mentions.ts`. */
export const ASKING: readonly AskingFamily[] = [
  {
    says: displayText("safety.line.discardsWork"),
    examples:
      "git clean -fd · git reset --hard · git checkout -f · git stash drop · git branch -D · git gc --prune=now",
    calls: {
      git: [
        { args: /^clean\b/, except: /(?:^| )(?:-[a-z]*n[a-z]*|--dry-run)(?= |$)/ },
        /^reset\b.* --(?:ha?r?d?|me\w*|k\w*)(?= |$)/,
        /^(?:checkout|switch)\b.* (?:-[a-zA-Z]*[fB]|-C|--force|--for?c?|--discard-changes|--disc\w*|--ignore-other-worktrees)(?= |$)/,
        /^checkout\b(?:.* (?:--|--ours|--theirs|--pathspec-from-file\S*) ?\S*| (?:\S+ )*(?:\.|\.\/|:\/|\*|:\(\S*)(?= |$)| (?:HEAD|@)\S* \S)/,
        /^restore\b(?:(?!.* (?:--staged|-S|--stag?e?)(?= |$))|.* (?:--worktree|-[SsW]*W[SsW]*)(?= |$))/,
        /^stash (?:drop|clear)\b/,
        /^branch\b.* (?:-[a-zA-Z]*[DMCf]|--for?c?e?|--delete.*--for?c?e?)(?= |$)/,
        /^tag\b.* (?:-[a-zA-Z]*[df]|--del\w*|--for?c?e?)(?= |$)/,
        /^reflog (?:expire|delete|drop)\b/,
        /^gc\b.* --pr\w*|^(?:prune|prune-packed|filter-branch|filter-repo|replace|lfs_prune)\b|^lfs prune\b/,
        /^update-ref\b|^symbolic-ref\b(?: --?\S+)* \S+ \S|^maintenance run\b.*gc/,
        /^rm\b(?!.* --cached)(?:.* (?:-[a-z]*[rf][a-z]*|--for?c?e?)(?= |$)|.* \.)/,
        /^worktree remove\b.* (?:-f|--force)|^submodule deinit\b|^checkout-index\b.* (?:-[a-z]*[fa]|--force|--all)|^read-tree\b.* (?:--reset|-u|-m)/,
      ],
      "git-filter-repo bfg": [{}],
      hg: [/^(?:purge|clean|strip|revert|update .*(?:-C|--clean)|up .*-C|rollback)\b/],
      svn: [/^revert\b|^cleanup\b.*--remove|^delete\b|^rm\b/],
      jj: [/^(?:abandon|restore|op restore|undo)\b/],
    },
  },
  {
    says: displayText("safety.line.overwritesShared"),
    examples:
      "git push --force · git push origin +main · git push --mirror · git push origin :branch · gh release delete · npm unpublish · cargo yank",
    calls: {
      git: [
        /^push\b.* (?:-[a-zA-Z]*[fd][a-zA-Z]*|--for\w*\S*|--mi\w*|--del\w*|--pru\w*)(?= |$)/,
        /^push\b(?: \S+)* (?:\+|:)[^ ]/,
        /^send-pack\b|^push\b.* --rec\w*/,
      ],
      "gh glab hub tea": [REMOVES],
      "gh glab": [
        /(?:^| )(?:(?:repo|project) (?:archive|rename|transfer|edit)|delete-asset|secret set|variable set|workflow disable|run cancel|cache delete|release (?:delete|edit|upload.*--clobber))\b/,
      ],
      "gh glab curl http https httpie xh wget iwr irm invoke-webrequest invoke-restmethod": [
        /(?:^| )(?:-\w*X ?|--request[ =]|--method[ =:]|-method[ :])?(?:DELETE)(?= |$)/i,
      ],
      "npm pnpm yarn bun npx": [
        {
          args: /(?:^| )(?:unpublish|deprecate|publish|owner (?:add|rm)|author|dist-tag (?:add|rm|set)|access (?:public|restricted|grant|revoke|set)|team (?:destroy|rm)|org rm)(?= |$)/,
          except: /--dry-run/,
        },
      ],
      cargo: [{ args: /(?:^| )(?:yank|owner|publish)(?= |$)/, except: /--dry-run|-n\b/ }],
      gem: [/(?:^| )(?:yank|owner|push)(?= |$)/],
      "twine flit hatch poetry uv pdm rye": [{ args: /^(?:upload|publish)(?= |$)/, except: /--dry-run/ }],
      "python#": [/^-m (?:twine upload|flit publish)\b/],
      "vsce ovsx": [/^(?:unpublish|publish|delete-publisher)\b/],
      npx: [/\b(?:@vscode\/vsce|vsce|ovsx)(?:@\S+)? (?:unpublish|publish)\b/],
      "dotnet nuget": [/(?:^| )(?:nuget )?(?:delete|push)(?= |$)/],
      "mvn mvnw": [/(?:^| )(?:deploy|release:\w+)(?= |$)/],
      "gradle gradlew": [/(?:^| )publish\w*(?= |$)/],
      pod: [/^trunk (?:delete|deprecate|push)\b/],
      "helm docker podman buildah skopeo oras crane": [/(?:^| )manifest rm\b|^delete\b/],
    },
  },
  {
    says: displayText("safety.line.emptiesDatabase"),
    examples:
      'psql -c "DROP TABLE …" · dropdb · redis-cli FLUSHALL · prisma migrate reset · rails db:drop · manage.py flush',
    calls: {
      "psql mysql mariadb mycli pgcli litecli usql sqlite sqlite3 duckdb mongo mongosh redis-cli valkey-cli keydb-cli clickhouse clickhouse-client cqlsh sqlcmd isql sqlplus influx cockroach bq snowsql cypher-shell iredis trino presto beeline impala-shell surreal wrangler turso arangosh couchbase-cli cbq":
        [{ text: DESTROYING_SQL }],
      "docker podman nerdctl docker-compose kubectl oc ssh heroku fly flyctl vagrant npx": [
        {
          args: /(?:^| )(?:psql|mysql|mariadb|sqlite3|mongo(?:sh)?|redis-cli|clickhouse-client|cqlsh|sqlcmd|dropdb)(?= |$)/,
          text: new RegExp(`${DESTROYING_SQL.source}|^(?:flushall|flushdb|dropdb)$`, "i"),
        },
      ],
      "redis-cli valkey-cli keydb-cli iredis": [
        { text: /^(?:flushall|flushdb|shutdown|debug|swapdb|script|unlink|del|eval|config)$/i },
      ],
      "dropdb dropuser pg_resetwal pg_dropcluster mysql_install_db": [{}],
      pg_restore: [/(?:^| )(?:-[a-zA-Z]*c|--clean)(?= |$)/],
      mongorestore: [/--drop\b/],
      mysqladmin: [/(?:^| )(?:drop|shutdown)(?= |$)/],
      "*": [
        /(?:^| |\/)prisma\S* (?:migrate reset|db push\b.*--(?:force-reset|accept-data-loss)|db execute)\b/,
        /(?:^| )(?:db:(?:drop|reset|purge|truncate\w*|migrate:reset|schema:load|structure:load|setup|wipe|fresh|rollback)\S*|migrate:(?:fresh|refresh|reset)|ecto\.(?:drop|reset)|doctrine:(?:database|schema):drop|schema:drop|database:remove|firestore:delete|pg:reset|pg:destroy|orm:schema-tool:drop)(?= |$)/,
        /manage\.py (?:flush|reset_db|sqlflush|migrate \S+ zero)\b|^-m django (?:flush|reset_db)\b/,
        /(?:^| )(?:flyway clean|liquibase drop-?all|alembic downgrade base|knex migrate:rollback .*--all|sequelize\S* db:drop|typeorm\S* schema:drop|drizzle-kit (?:drop|push\b.*--force)|mikro-orm\S* (?:schema:(?:drop|fresh)|migration:fresh)|supabase db reset|wrangler d1 (?:delete|execute))\b/,
      ],
      prisma: [/^(?:migrate reset|db push\b.*--(?:force-reset|accept-data-loss)|db execute)\b/],
      "django-admin manage.py": [/^(?:flush|reset_db|migrate \S+ zero)\b/],
      "flyway liquibase": [/(?:^| )(?:clean|drop-?all)(?= |$)/i],
      alembic: [/\bdowngrade base\b/],
      flask: [/^db downgrade\b.* base\b|^db drop\b/],
      knex: [/^migrate:rollback\b.*--all/],
      "sqlx diesel": [/^database (?:drop|reset)\b/],
      "dbmate goose migrate atlas tern": [/(?:^| )(?:drop|reset|clean|down-to 0|schema clean)(?= |$)/],
      "drizzle-kit": [/^drop\b|^push\b.*--force/],
      supabase: [/^db reset\b/],
      elasticdump: [/--type=deleteByQuery|--delete/],
    },
  },
  {
    says: displayText("safety.line.destroysInfrastructure"),
    examples:
      "terraform destroy · kubectl delete · helm uninstall · docker system prune · docker volume rm · aws … delete-…",
    calls: {
      "terraform tofu terragrunt cdktf": [
        /(?:^| )(?:destroy|-destroy|--destroy|run-all destroy|state (?:rm|push|mv|replace-provider)|workspace delete|force-unlock|taint|apply\b.*-auto-approve|apply\b.*--auto-approve)(?= |$)/,
      ],
      pulumi: [/(?:^| )(?:destroy|stack rm|state delete|cancel|(?:up|update)\b.*(?:--yes|-y|--skip-preview))(?= |$)/],
      "kubectl oc k3s microk8s kustomize": [
        /(?:^| )(?:delete|drain|cordon|taint|evict|replace\b.*--force|scale\b.*--replicas[= ]0|rollout undo|apply\b.*--prune|patch\b.*--type)(?= |$)/,
      ],
      "helm helm3": [/(?:^| )(?:uninstall|delete|del|un|rollback)(?= |$)/],
      "helmfile skaffold tilt argocd flux kops kubeadm": [
        /(?:^| )(?:destroy|delete|down|uninstall|reset|app delete)(?= |$)/,
      ],
      "docker podman nerdctl buildah docker-compose podman-compose": [
        /(?:^| )(?:prune|rm|rmi|remove|(?:compose )?down\b.* (?:-v|--volumes|--rmi)|swarm leave|stack down|kill|machine reset|system reset)(?= |$)/,
      ],
      "aws gcloud gsutil bq az doctl ibmcloud oci linode-cli hcloud scw flyctl fly heroku vercel netlify wrangler railway firebase eksctl cdk cdktf sam serverless sls vagrant multipass virsh limactl lxc minikube kind k3d vultr-cli civo exo openstack ceph etcdctl consul nomad aliyun tccli yc render supabase turso neonctl pscale atlas s3cmd rclone mc b2 azcopy gh glab hub tea":
        [REMOVES],
      aws: [/\bs3 sync\b.*--delete|(?:^| )(?:stop-instances|modify-\w+|put-bucket-policy)\b/],
      "gsutil rclone s3cmd mc": [/(?:^| )(?:rsync\b.*-d|sync|cleanup|del|mirror\b.*--remove|dedupe)(?= |$)/],
      etcdctl: [/(?:^| )(?:del|member remove)(?= |$)/],
      "ansible ansible-playbook": [/state=absent/],
      nomad: [/(?:^| )(?:job )?stop\b.*-purge|(?:^| )system gc/],
      wsl: [/--(?:unregister|shutdown|terminate)/],
    },
  },
  {
    says: displayText("safety.line.endsByName"),
    examples: "pkill node · killall -9 python · kill -9 -1 · taskkill /IM node.exe · kill $(pgrep node)",
    calls: {
      "pkill killall killall5 skill xkill slay fkill kill-port pskill": [{ except: /^-(?:l|V|-list|-version)$/ }],
      kill: [
        /^(?:\S+ )+-1(?= |$)|^-- -1\b|(?:^| )0$/,
        { except: /^-0\b/, beside: /^(?:pgrep|pidof|lsof|fuser|ps|ss|netstat|get-process|gps)$/ },
      ],
      fuser: [/(?:^| )-\w*k/],
      taskkill: [/(?:^| )[-/](?:im|fi)\b/i],
      "stop-process spps kill": [/(?:^| )-n(?:a(?:me?)?)?\b/i],
      "stop-process spps": [{ beside: /^(?:get-process|gps|ps)$/ }],
      tskill: [{}],
      wmic: [/\b(?:delete|terminate|call)\b/i],
      "npx bunx pnpm yarn": [/(?:^| )(?:kill-port|fkill(?:-cli)?|killport)\b/],
      systemctl: [/(?:^| )kill\b/],
      tmux: [/^kill-(?:server|session)/],
    },
  },
  {
    says: displayText("safety.line.changesUsers"),
    examples: "useradd · usermod · passwd · chsh · visudo · net user",
    calls: {
      "useradd adduser usermod userdel deluser newusers groupadd addgroup groupmod groupdel delgroup gpasswd passwd chpasswd chgpasswd chage visudo vipw vigr chsh chfn dscl sysadminctl dseditgroup pwpolicy smbpasswd htpasswd kadmin realm new-localuser set-localuser remove-localuser enable-localuser disable-localuser rename-localuser add-localgroupmember remove-localgroupmember new-localgroup remove-localgroup setcap chattr setfacl icacls takeown":
        [{}],
      "net net1": [/^(?:user|localgroup|accounts|group)\b/i],
    },
  },
  {
    says: displayText("safety.line.changesNetwork"),
    examples: "iptables -F · ufw disable · nft flush ruleset · ip link set · netsh",
    calls: {
      "iptables iptables-* ip6tables ip6tables-* ebtables arptables": [
        { except: /^(?:-[Lnvt]+|--list|-S|--list-rules| |nat|filter|mangle|INPUT|OUTPUT|FORWARD)+$/ },
      ],
      nft: [{ except: /^(?:list|-v|--version)\b/ }],
      "ufw pfctl ipset firewall-cmd csf fail2ban-client": [
        { except: /^(?:status|--state|--list\S*|--get\S*|-s|list|version)\b/ },
      ],
      netsh: [{ except: /\bshow\b/i }],
      "new-net* set-net* remove-net* disable-net* enable-net*": [{}],
      ip: [/(?:^| )(?:add|del|delete|change|replace|set|flush|append)(?= |$)/],
      "ifconfig ifup ifdown route arp tc brctl bridge iwconfig wg wg-quick openvpn tailscale ngrok cloudflared localtunnel lt":
        [/\S+ \S|^(?:up|down|http|tunnel|tcp|serve|funnel)\b/],
      "nmcli networksetup scutil resolvectl hostnamectl systemd-resolve": [
        /(?:^| )(?:up|down|add|modify|delete|set\S*|-set\S+|--set|off|on|flush-caches|domain|dns|set-hostname|connect|disconnect)(?= |$)/,
      ],
      hostname: [/^[^-]/],
      npx: [/(?:^| )(?:localtunnel|ngrok|untun|cloudflared)\b/],
    },
  },
  {
    says: displayText("safety.line.changesSystem"),
    examples: "date -s · timedatectl set-time · mount · umount · modprobe · sysctl -w · setenforce",
    calls: {
      date: [/(?:^| )(?:-s|--set\S*|-\w*s\S*|\d{8,12}(?:\.\d\d)?)(?= |$)/],
      timedatectl: [/(?:^| )set-/],
      "hwclock ntpdate ntpd chronyc chronyd sntp rdate set-date set-timezone w32tm systemsetup tzutil": [
        { except: /^(?:--show|-r|tracking|sources|--help)\b|^$/ },
      ],
      mount: [/(?:^| )[^-]|(?:^| )-a/],
      "umount losetup swapon swapoff fusermount fusermount3 sshfs bindfs encfs mount.* mount_* mount-* dismount-* subst pivot_root chroot udisksctl zfs btrfs mdadm lvremove lvcreate vgcreate resize2fs tune2fs fsck* e2fsck quotacheck":
        [{ except: /^(?:-l|--list|--show|list|status|get|--version|info)?$/ }],
      hdiutil: [/^(?:attach|detach|mount|unmount|erase|create|resize)\b/],
      diskutil: [/^(?:un)?mount|^eject/i],
      "net net1": [/^(?:use|share|session|stop|start)\b/i],
      "new-psdrive new-smb*": [{}],
      "modprobe insmod rmmod kextload kextunload kmutil depmod dkms setenforce setsebool semanage aa-* apparmor_parser csrutil spctl nvram bless tmutil efibootmgr grub-* update-grub update-initramfs dracut mkinitcpio bcdedit reg regedit regini sfc dism set-executionpolicy set-mppreference vssadmin wbadmin fsutil cipher defaults pmset kexec sysrq unshare nsenter capsh":
        [{ except: /^(?:query|--version|-l|read)\b/ }],
      sysctl: [/(?:^| )(?:-w|-p|--write|--load|--system|\S+=)/],
      "set-itemproperty new-itemproperty remove-itemproperty sp reg": [/\bHK(?:LM|CU|CR|U|CC)\b|registry::/i],
      ulimit: [/-c unlimited/],
    },
  },
  {
    says: displayText("safety.line.changesServices"),
    examples: "systemctl enable · service … restart · launchctl load · crontab · at · schtasks · sc create",
    calls: {
      "crontab at batch schtasks launchctl systemd-run anacron atrm fcron* incrontab": [
        { args: /\S/, except: /^(?:-l|\/query|list|print)$/i },
      ],
      systemctl: [
        /\b(?:enable|disable|start|stop|restart|try-restart|reload|reload-or-restart|mask|unmask|link|edit|set-property|set-default|isolate|daemon-reload|daemon-reexec|revert|preset|import-environment|set-environment|reset-failed)\b/,
      ],
      "service rc-service invoke-rc.d": [/\b(?:start|stop|restart|reload|force-reload|condrestart)\b/],
      "rc-update update-rc.d chkconfig initctl start-stop-daemon svcadm s6-* sv runsv svc loginctl insserv": [
        { args: /\S/, except: /^(?:list|status|show|--list|session-status|list-sessions)\b/ },
      ],
      sc: [/^(?:\\\\\S+ )?(?:create|delete|config|start|stop|failure|sdset|pause)\b/i],
      "start-service stop-service restart-service set-service new-service remove-service suspend-service resume-service":
        [{}],
      "register-scheduled* unregister-scheduled* set-scheduled* new-scheduled* start-scheduled* enable-scheduled* disable-scheduled*":
        [{}],
      brew: [/^services (?:start|stop|restart|run|kill|cleanup)\b/],
      pm2: [/^(?:startup|save|unstartup|kill|delete)\b/],
      supervisorctl: [/^(?:start|stop|restart|shutdown|update|remove|reload)\b/],
      loginctl: [/linger|terminate|kill/],
    },
  },
  {
    says: displayText("safety.line.leavesLine"),
    examples: "open · osascript · xdg-open · busctl call · flatpak-spawn · pbcopy · Start-Process · explorer · mshta",
    calls: {
      "open osascript shortcuts automator pbcopy pbpaste screencapture tccutil lsregister": [{}],
      "sfltool qlmanage": [{}],
      batch: [{}],
      "xdg-open xdg-email gvfs-open gnome-open kde-open kde-open5 exo-open mimeopen run-mailcap sensible-browser x-www-browser www-browser wslview wsl-open gtk-launch kioclient kioclient5 dex":
        [{}],
      "flatpak-spawn host-spawn distrobox-host-exec toolbox dbus-send qdbus*": [{}],
      "xdotool ydotool wtype xclip xsel wl-copy wl-paste clip set-clipboard get-clipboard scb gcb": [{}],
      gio: [/^(?:open|launch|mount)\b/],
      "busctl gdbus": [/(?:^| )(?:call|emit|set-property)(?= |$)/],
      "xdg-mime xdg-settings": [/^(?:default|install|set)\b/],
      "start start-process saps invoke-item ii explorer mshta rundll32 regsvr32 pcalua forfiles conhost wt hh control installutil odbcconf bitsadmin start-bitstransfer invoke-cimmethod invoke-wmimethod icim iwmi set-wmiinstance swmi":
        [{}],
      "new-object": [/(?:^| )-c(?:o(?:m\w*)?)?(?= |:|$)/i],
      "cmd pwsh powershell": [/(?:^| )start(?:-process)?(?= |_|$)/i],
    },
  },
  {
    says: displayText("safety.line.changesMachinePrograms"),
    examples: "apt install · brew install · npm install -g · pip install --user · code --install-extension",
    calls: {
      "apt apt-get aptitude dnf yum microdnf zypper snap flatpak brew port choco winget scoop mas emerge xbps-install nix-env guix pkg pkg_add opkg tdnf":
        [
          /(?:^| )(?:install|reinstall|remove|purge|autoremove|upgrade|full-upgrade|dist-upgrade|uninstall|erase|add|del|rm|-i\w*|-e\w*|tap|link|unlink|update-alternatives|refresh|localinstall|groupinstall|swap|downgrade|import)(?= |$)/,
        ],
      apk: [/(?:^| )(?:add|del|upgrade|fix)(?= |$)/],
      pacman: [/(?:^| )-(?:S(?![si]+(?: |$))|R|U|D)\w*/],
      "dpkg rpm": [
        /(?:^| )(?:-i\w*|-U\w*|-e\w*|-r|-P|-F\w*|--install|--remove|--purge|--configure|--erase|--upgrade)(?= |$)/,
      ],
      "installer msiexec update-alternatives dpkg-reconfigure xcode-select softwareupdate install-module install-package install-script add-appxpackage remove-appxpackage ldconfig":
        [/\S/],
      "npm pnpm bun": [
        /(?:^| )(?:i|install|add|un|uninstall|remove|rm|r|up|update|link|ci)\b.* (?:-[a-zA-Z]*g[a-zA-Z]*|--global|--location[= ]global)(?= |$)|(?:^| )(?:-g|--global|--location[= ]global)(?: \S+)* (?:i|install|add|un|uninstall|remove|rm|up|update|ci)(?= |$)/,
      ],
      yarn: [/^global (?:add|remove|upgrade)\b/],
      "pip pip3": [/(?:^| )(?:--user|--break-system-packages)(?= |$)/],
      "python#": [/^-m pip\b.*(?:--user|--break-system-packages)(?= |$)/],
      "code code-insiders codium cursor windsurf": [/--(?:un)?install-extension\b/],
    },
  },
  {
    says: displayText("safety.line.showsEnvironment"),
    examples: "printenv · env · ps e · cat /proc/self/environ · node -p process.env · make -p",
    calls: {
      printenv: [{}],
      env: [/^(?:-0|--null|-v|--debug|(?:-u|--unset)[ =]?\S+|--unset=\S+| )*$/],
      "set export setenv": [/^(?:-p)?$/],
      compgen: [/(?:^| )-\w*[ev]/],
      "gci get-childitem dir ls gi get-item gc get-content cat type gv get-variable set-location cd sl pushd resolve-path":
        [/(?:^| |:)(?:microsoft\.powershell\.core\\environment::|env(?:ironment)?:)/i],
      "declare typeset readonly local": [/^(?:-[a-z]*[xp][a-z]*)?$/],
      ps: [/^[a-z]*e[a-z]*\b|\benviron\b|(?:^| )[a-z]*e[a-z]*$|(?:^| )-[a-zA-Z]*E/],
      "*": [
        /\/proc\/(?:\S*\/)?(?:environ|mem|maps|smaps\w*|auxv|kcore|kallsyms|cmdline|syscall|stack|pagemap|clear_refs|oom_\w+|sysrq-trigger)\b|\/proc\/\S*[*?[\]{}]|\/dev\/(?:k?mem|port)\b|\/proc\/(?!self\/(?:fd|status|stat)\b)(?:self|thread-self|\d+|\0)\/(?:fd|root|cwd|exe|task|ns)\b/,
      ],
      "cd pushd": [/^(?:--? )?\/proc\/?\S*/],
      "gdb lldb strace ltrace gcore rr perf bpftrace procdump py-spy rbspy jmap jinfo jcmd jstack dotnet-dump pmap pstack reptyr ptrace frida* scanmem memdump coredumpctl eu-stack heaptrack dtrace dtruss":
        [/(?:^| )(?:-\w*p ?\d*|--pid\S*|--attach\S*|-o \S+ \d+|attach|dump\S*|\d+|VM\.\S+|\0)(?= |$)/],
      "make gmake": [/(?:^| )(?:-[a-zA-Z]*p[a-zA-Z]*|--print-d\S*)(?= |$)/],
      "npm pnpm yarn": [/^(?:run(?:-script)? )?env$|^(?:exec|x|dlx) (?:-- )?(?:env|printenv)$/],
      npx: [/^(?:--?\w+ )*(?:env|printenv)$/],
      systemctl: [/\bshow-environment\b/],
      "systemd-cgls launchctl": [/\b(?:getenv|export|procinfo)\b/],
      "docker podman nerdctl": [/(?:^| )(?:inspect|(?:compose )?config|exec\b.* (?:env|printenv))(?= |$)/],
      "kubectl oc": [/\bexec\b.* (?:env|printenv)(?= |$)|\bset env\b.*--list/],
      jq: [/(?:^| |_|\()(?:env|\$ENV)\b/],
      cmake: [/-E environment\b/],
      direnv: [/^(?:dump|export|show_dump)\b/],
      "heroku vercel netlify flyctl railway doppler infisical chamber dotenv dotenvx envchain aws-vault sops ansible-vault":
        [/\b(?:config|env|secrets?|variables|run|export|decrypt|view|-d|get|pull|list|exec)\b/],
    },
  },
  {
    says: displayText("safety.line.revealsCredentials"),
    examples:
      "git credential fill · gh auth token · gpg --export-secret-keys · security find-generic-password · vault read",
    calls: {
      git: [/\bcredential\b|\bcredential-\w+|\bextraheader\b/i],
      "git-credential-*": [{}],
      "*": [
        /169\.254\.169\.254|\b2852039166\b|0xa9fea9fe|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::254|169\.254\.170\.2|instance-data\b/i,
      ],
      "gh glab": [/\bauth (?:token|status.*(?:-t|--show-token))(?= |$)/],
      "gpg gpg2": [/--export-secret|--decrypt|(?:^| )-\w*d\b/],
      "security secret-tool pass gopass op bw lpass rbw keyring cmdkey kwallet-query vaultcmd keepassxc-cli keyctl ssh-add gnome-keyring* dpapick get-credential get-secret klist kinit":
        [{}],
      "docker-credential-*": [{}],
      aws: [
        /\bconfigure (?:get|export|list)|\bget-session-token\b|\bassume-role\b|\bget-secret|\bget-parameters?\b.*--with-decryption|\becr get-login|\bsso\b/,
      ],
      "gcloud az": [
        /\bprint-\S*token\b|\bget-access-token\b|\bsecrets? (?:versions access|show|list)\b|\bkeys? (?:list|show|create)\b|\bapplication-default\b/,
      ],
      "kubectl oc": [/\bview\b.*--raw|\bsecrets?\b|\bcreate token\b|\bwhoami\b.*-t/],
      vault: [/\b(?:read|kv get|print token|token)\b/],
      "npm pnpm yarn": [/^token\b|\b_auth(?:Token)?\b/i],
      openssl: [/\b(?:rsa|pkey|ec|pkcs12|pkcs8)\b.*(?:-in|-nodes|-nocrypt)/],
      "ssh-keygen": [/(?:^| )-(?:\w*y|\w*p)\b/],
    },
  },
  {
    says: displayText("safety.line.changesProgramSettings"),
    examples: "git config core.hooksPath … · git -c … · npm config set · go env -w · git remote set-url",
    calls: {
      git: [
        /(?:^| )-c \S+=|(?:^| )--config-env\b|(?:^| )--exec-path=|(?:^| )--template\b|^config\b(?!(?: --?\S+)* (?:--get|--get-all|--get-regexp|--get-urlmatch|get|--list|-l|list)\b)(?: \S+){2,}|^config.* (?:--unset|--unset-all|--add|-e|--edit|set|unset|edit|--replace-all|--rename-section|--remove-section|rename-section|remove-section)\b/i,
        /^remote (?:set-url|add\b.*--mirror)|^hook\b|^bisect run\b|^difftool\b|^mergetool\b|^submodule foreach\b|^rebase\b.* (?:-x|--exec)/,
        /^(?:clone|ls-remote|fetch|fetch-pack|pull)\b.* (?:-u(?= )|--upl\w*)|^push\b.* --(?:exec|rece\w*)|^grep\b.* (?:-O|--open\w*)/,
      ],
      "npm pnpm yarn pip pip3 conda cargo go bundle composer poetry uv": [
        /^config (?:set|edit|delete)\b|^config --global\b|^env -w\b|^pkg set\b|^set-script\b/,
      ],
      "direnv mise asdf": [/^(?:allow|permit|grant|trust|global|set|use -g)\b/],
      "pre-commit husky lefthook": [/^install\b/],
      enable: [/(?:^| )-f/],
      hash: [/(?:^| )-p/],
    },
  },
  {
    says: displayText("safety.line.actsAsAnotherUser"),
    examples: "sudo · su · doas · chmod u+s · docker run --privileged",
    calls: {
      "sudo sudoedit doas su pkexec runas gsudo run0 machinectl setpriv capsh newgrp sg": [{}],
      chmod: [/(?:^| )(?:[ugoa]*[+=]\w*s|[2467]\d{3}|0[2467]\d{3})\b/],
      install: [/(?:^| )(?:-m ?|--mode=)(?:[2467]\d{3}|[ugoa]*[+=]\w*s)/],
      "docker podman nerdctl": [
        /\b(?:run|create)\b.*(?:-v|--volume|--mount|--privileged|--pid[= ]host|--network[= ]host|--net[= ]host|--userns[= ]host|--ipc[= ]host|--cap-add|--device|--security-opt)|\bexec\b.*--privileged/,
      ],
    },
  },
];

/** The calls of a program that ask, in order, each with its family. */
export const findAskingCalls = indexByName(
  ASKING.flatMap((family) =>
    Object.entries(family.calls).flatMap(([names, calls]) =>
      calls.map((call) => [names, { family, call: call instanceof RegExp ? { args: call } : call }] as const),
    ),
  ),
);

/** Reasons to ask in every mode because of the places and files that a line names, for the documentation. */
export const ASKING_BY_PLACE: readonly { readonly says: string; readonly examples: string }[] = [
  {
    says: "writes outside the workspace, by any flag, redirection, folder or link",
    examples: "curl -o ~/x · tar -xf x.tar -C /opt · make install DESTDIR=/opt · cd .. && make · echo x > ../y",
  },
  {
    says: "has code that names a place outside the workspace, or hides part of its text",
    examples: "python -c \"open('/opt/x', 'w')\" · sed 'w /opt/x' · node -e 'eval(atob(…))'",
  },
  {
    says: "reads a whole folder with a secret in it",
    examples: "grep -r key . · rg -uu key · find . -exec cat {} + · tar c . · cp -r . /tmp/x",
  },
];
