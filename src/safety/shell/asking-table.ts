import { type DisplayText, displayText } from "../../texts/display-text.ts";
/** A call that asks in every mode. Its text is the program's name in lower case and its arguments, joined by blanks. */
export interface AskingCall {
  readonly programs: RegExp;
  /** Tested on the arguments; blanks inside an argument are underscores there. Absent: any arguments. */
  readonly args?: RegExp;
  /** Tested on the raw words of the whole line, also on those of other commands in it. */
  readonly text?: RegExp;
  /** Arguments for which it doesn't ask. */
  readonly except?: RegExp;
  /** It asks only beside one of these commands. */
  readonly beside?: RegExp;
}

/** Calls that ask for the same reason. */
export interface AskingFamily {
  /** Half a sentence; each is a row of the texts for people. */
  readonly says: DisplayText;
  /** Calls for the documentation. */
  readonly examples: string;
  readonly calls: readonly AskingCall[];
}

const ANY = /./;
const CLOUDS =
  /^(?:aws|gcloud|gsutil|bq|az|doctl|ibmcloud|oci|linode-cli|hcloud|scw|flyctl|fly|heroku|vercel|netlify|wrangler|railway|firebase|eksctl|cdk|cdktf|sam|serverless|sls|vagrant|multipass|virsh|limactl|lxc|minikube|kind|k3d|vultr-cli|civo|exo|openstack|ceph|etcdctl|consul|nomad|aliyun|tccli|yc|render|supabase|turso|neonctl|pscale|atlas|s3cmd|rclone|mc|b2|azcopy|gh|glab|hub|tea)$/;
const REMOVES =
  /(?:^| )(?:--?)?(?:[\w:-]*(?:delete|destroy|terminate|purge|deprovision|uninstall|undefine|deregister|teardown)[\w:-]*|remove-\w[\w-]*|remove|rm|rb|rmdir|nuke)(?:=\S*)?(?= |$)/i;
const SQL_CLIENTS =
  /^(?:psql|mysql|mariadb|mycli|pgcli|litecli|usql|sqlite3?|duckdb|mongo(?:sh)?|redis-cli|valkey-cli|keydb-cli|clickhouse(?:-client)?|cqlsh|sqlcmd|isql|sqlplus|influx|cockroach|bq|snowsql|cypher-shell|iredis|trino|presto|beeline|impala-shell|surreal|wrangler|turso|arangosh|couchbase-cli|cbq)$/;
const DESTROYING_SQL =
  /\bdrop\s+(?:database|schema|table|user|role|index|view|materialized|collection|keyspace|type|function|trigger|owned|extension|sequence|tablespace)\b|\btruncate\b|\bdelete\s+from\b(?![^;]*\bwhere\b)|\bupdate\s+\S+\s+set\b(?![^;]*\bwhere\b)|\balter\s+table\b[^;]*\bdrop\b|dropDatabase|dropCollection|dropIndexes|\.drop\s*\(|(?:deleteMany|remove)\s*\(\s*(?:\{\s*\})?\s*\)|\bdetach\s+delete\b/i;

/** Everything that asks in every mode outside the walls of an isolated run, by what it would do. Paths are in `reach.ts`, protected files in `mentions.ts`. */
export const ASKING: readonly AskingFamily[] = [
  {
    says: displayText("safety.line.discardsWork"),
    examples:
      "git clean -fd · git reset --hard · git checkout -f · git stash drop · git branch -D · git gc --prune=now",
    calls: [
      { programs: /^git$/, args: /^clean\b/, except: /(?:^| )(?:-[a-z]*n[a-z]*|--dry-run)(?= |$)/ },
      { programs: /^git$/, args: /^reset\b.* --(?:ha?r?d?|me\w*|k\w*)(?= |$)/ },
      {
        programs: /^git$/,
        args: /^(?:checkout|switch)\b.* (?:-[a-zA-Z]*[fB]|-C|--force|--for?c?|--discard-changes|--disc\w*|--ignore-other-worktrees)(?= |$)/,
      },
      {
        programs: /^git$/,
        args: /^checkout\b(?:.* (?:--|--ours|--theirs|--pathspec-from-file\S*) ?\S*| (?:\S+ )*(?:\.|\.\/|:\/|\*|:\(\S*)(?= |$)| (?:HEAD|@)\S* \S)/,
      },
      {
        programs: /^git$/,
        args: /^restore\b(?:(?!.* (?:--staged|-S|--stag?e?)(?= |$))|.* (?:--worktree|-[SsW]*W[SsW]*)(?= |$))/,
      },
      { programs: /^git$/, args: /^stash (?:drop|clear)\b/ },
      { programs: /^git$/, args: /^branch\b.* (?:-[a-zA-Z]*[DMCf]|--for?c?e?|--delete.*--for?c?e?)(?= |$)/ },
      { programs: /^git$/, args: /^tag\b.* (?:-[a-zA-Z]*[df]|--del\w*|--for?c?e?)(?= |$)/ },
      { programs: /^git$/, args: /^reflog (?:expire|delete|drop)\b/ },
      {
        programs: /^git$/,
        args: /^gc\b.* --pr\w*|^(?:prune|prune-packed|filter-branch|filter-repo|replace|lfs_prune)\b|^lfs prune\b/,
      },
      { programs: /^git$/, args: /^update-ref\b|^symbolic-ref\b(?: --?\S+)* \S+ \S|^maintenance run\b.*gc/ },
      { programs: /^git$/, args: /^rm\b(?!.* --cached)(?:.* (?:-[a-z]*[rf][a-z]*|--for?c?e?)(?= |$)|.* \.)/ },
      {
        programs: /^git$/,
        args: /^worktree remove\b.* (?:-f|--force)|^submodule deinit\b|^checkout-index\b.* (?:-[a-z]*[fa]|--force|--all)|^read-tree\b.* (?:--reset|-u|-m)/,
      },
      { programs: /^(?:git-filter-repo|bfg)$/ },
      { programs: /^hg$/, args: /^(?:purge|clean|strip|revert|update .*(?:-C|--clean)|up .*-C|rollback)\b/ },
      { programs: /^svn$/, args: /^revert\b|^cleanup\b.*--remove|^delete\b|^rm\b/ },
      { programs: /^jj$/, args: /^(?:abandon|restore|op restore|undo)\b/ },
    ],
  },
  {
    says: displayText("safety.line.overwritesShared"),
    examples:
      "git push --force · git push origin +main · git push --mirror · git push origin :branch · gh release delete · npm unpublish · cargo yank",
    calls: [
      {
        programs: /^git$/,
        args: /^push\b.* (?:-[a-zA-Z]*[fd][a-zA-Z]*|--for\w*\S*|--mi\w*|--del\w*|--pru\w*)(?= |$)/,
      },
      { programs: /^git$/, args: /^push\b(?: \S+)* (?:\+|:)[^ ]/ },
      { programs: /^git$/, args: /^send-pack\b|^push\b.* --rec\w*/ },
      { programs: /^(?:gh|glab|hub|tea)$/, args: REMOVES },
      {
        programs: /^(?:gh|glab)$/,
        args: /(?:^| )(?:(?:repo|project) (?:archive|rename|transfer|edit)|delete-asset|secret set|variable set|workflow disable|run cancel|cache delete|release (?:delete|edit|upload.*--clobber))\b/,
      },
      {
        programs: /^(?:gh|glab|curl|http|https|httpie|xh|wget|iwr|irm|invoke-webrequest|invoke-restmethod)$/i,
        args: /(?:^| )(?:-\w*X ?|--request[ =]|--method[ =:]|-method[ :])?(?:DELETE)(?= |$)/i,
      },
      {
        programs: /^(?:npm|pnpm|yarn|bun|npx)$/,
        args: /(?:^| )(?:unpublish|deprecate|publish|owner (?:add|rm)|author|dist-tag (?:add|rm|set)|access (?:public|restricted|grant|revoke|set)|team (?:destroy|rm)|org rm)(?= |$)/,
        except: /--dry-run/,
      },
      { programs: /^cargo$/, args: /(?:^| )(?:yank|owner|publish)(?= |$)/, except: /--dry-run|-n\b/ },
      { programs: /^gem$/, args: /(?:^| )(?:yank|owner|push)(?= |$)/ },
      {
        programs: /^(?:twine|flit|hatch|poetry|uv|pdm|rye)$/,
        args: /^(?:upload|publish)(?= |$)/,
        except: /--dry-run/,
      },
      { programs: /^python[\d.]*$/, args: /^-m (?:twine upload|flit publish)\b/ },
      { programs: /^(?:vsce|ovsx)$/, args: /^(?:unpublish|publish|delete-publisher)\b/ },
      { programs: /^npx$/, args: /\b(?:@vscode\/vsce|vsce|ovsx)(?:@\S+)? (?:unpublish|publish)\b/ },
      { programs: /^(?:dotnet|nuget)$/, args: /(?:^| )(?:nuget )?(?:delete|push)(?= |$)/ },
      { programs: /^(?:mvn|mvnw)$/, args: /(?:^| )(?:deploy|release:\w+)(?= |$)/ },
      { programs: /^(?:gradle|gradlew)$/, args: /(?:^| )publish\w*(?= |$)/ },
      { programs: /^(?:pod)$/, args: /^trunk (?:delete|deprecate|push)\b/ },
      {
        programs: /^(?:helm|docker|podman|buildah|skopeo|oras|crane)$/,
        args: /(?:^| )manifest rm\b|^delete\b/,
      },
    ],
  },
  {
    says: displayText("safety.line.emptiesDatabase"),
    examples:
      'psql -c "DROP TABLE …" · dropdb · redis-cli FLUSHALL · prisma migrate reset · rails db:drop · manage.py flush',
    calls: [
      { programs: SQL_CLIENTS, text: DESTROYING_SQL },
      {
        programs: /^(?:docker|podman|nerdctl|docker-compose|kubectl|oc|ssh|heroku|fly|flyctl|vagrant|npx)$/,
        args: /(?:^| )(?:psql|mysql|mariadb|sqlite3|mongo(?:sh)?|redis-cli|clickhouse-client|cqlsh|sqlcmd|dropdb)(?= |$)/,
        text: new RegExp(`${DESTROYING_SQL.source}|^(?:flushall|flushdb|dropdb)$`, "i"),
      },
      {
        programs: /^(?:redis-cli|valkey-cli|keydb-cli|iredis)$/,
        text: /^(?:flushall|flushdb|shutdown|debug|swapdb|script|unlink|del|eval|config)$/i,
      },
      { programs: /^(?:dropdb|dropuser|pg_resetwal|pg_dropcluster|mysql_install_db)$/ },
      { programs: /^pg_restore$/, args: /(?:^| )(?:-[a-zA-Z]*c|--clean)(?= |$)/ },
      { programs: /^mongorestore$/, args: /--drop\b/ },
      { programs: /^mysqladmin$/, args: /(?:^| )(?:drop|shutdown)(?= |$)/ },
      {
        programs: ANY,
        args: /(?:^| |\/)prisma\S* (?:migrate reset|db push\b.*--(?:force-reset|accept-data-loss)|db execute)\b/,
      },
      {
        programs: /^prisma$/,
        args: /^(?:migrate reset|db push\b.*--(?:force-reset|accept-data-loss)|db execute)\b/,
      },
      {
        programs: ANY,
        args: /(?:^| )(?:db:(?:drop|reset|purge|truncate\w*|migrate:reset|schema:load|structure:load|setup|wipe|fresh|rollback)\S*|migrate:(?:fresh|refresh|reset)|ecto\.(?:drop|reset)|doctrine:(?:database|schema):drop|schema:drop|database:remove|firestore:delete|pg:reset|pg:destroy|orm:schema-tool:drop)(?= |$)/,
      },
      {
        programs: ANY,
        args: /manage\.py (?:flush|reset_db|sqlflush|migrate \S+ zero)\b|^-m django (?:flush|reset_db)\b/,
      },
      { programs: /^(?:django-admin|manage\.py)$/, args: /^(?:flush|reset_db|migrate \S+ zero)\b/ },
      {
        programs: ANY,
        args: /(?:^| )(?:flyway clean|liquibase drop-?all|alembic downgrade base|knex migrate:rollback .*--all|sequelize\S* db:drop|typeorm\S* schema:drop|drizzle-kit (?:drop|push\b.*--force)|mikro-orm\S* (?:schema:(?:drop|fresh)|migration:fresh)|supabase db reset|wrangler d1 (?:delete|execute))\b/,
      },
      { programs: /^(?:flyway|liquibase)$/, args: /(?:^| )(?:clean|drop-?all)(?= |$)/i },
      { programs: /^alembic$/, args: /\bdowngrade base\b/ },
      { programs: /^flask$/, args: /^db downgrade\b.* base\b|^db drop\b/ },
      { programs: /^knex$/, args: /^migrate:rollback\b.*--all/ },
      { programs: /^(?:sqlx|diesel)$/, args: /^database (?:drop|reset)\b/ },
      {
        programs: /^(?:dbmate|goose|migrate|atlas|tern)$/,
        args: /(?:^| )(?:drop|reset|clean|down-to 0|schema clean)(?= |$)/,
      },
      { programs: /^drizzle-kit$/, args: /^drop\b|^push\b.*--force/ },
      { programs: /^supabase$/, args: /^db reset\b/ },
      { programs: /^elasticdump$/, args: /--type=deleteByQuery|--delete/ },
    ],
  },
  {
    says: displayText("safety.line.destroysInfrastructure"),
    examples:
      "terraform destroy · kubectl delete · helm uninstall · docker system prune · docker volume rm · aws … delete-…",
    calls: [
      {
        programs: /^(?:terraform|tofu|terragrunt|cdktf)$/,
        args: /(?:^| )(?:destroy|-destroy|--destroy|run-all destroy|state (?:rm|push|mv|replace-provider)|workspace delete|force-unlock|taint|apply\b.*-auto-approve|apply\b.*--auto-approve)(?= |$)/,
      },
      {
        programs: /^pulumi$/,
        args: /(?:^| )(?:destroy|stack rm|state delete|cancel|(?:up|update)\b.*(?:--yes|-y|--skip-preview))(?= |$)/,
      },
      {
        programs: /^(?:kubectl|oc|k3s|microk8s|kustomize)$/,
        args: /(?:^| )(?:delete|drain|cordon|taint|evict|replace\b.*--force|scale\b.*--replicas[= ]0|rollout undo|apply\b.*--prune|patch\b.*--type)(?= |$)/,
      },
      { programs: /^(?:helm|helm3)$/, args: /(?:^| )(?:uninstall|delete|del|un|rollback)(?= |$)/ },
      {
        programs: /^(?:helmfile|skaffold|tilt|argocd|flux|kops|kubeadm)$/,
        args: /(?:^| )(?:destroy|delete|down|uninstall|reset|app delete)(?= |$)/,
      },
      {
        programs: /^(?:docker|podman|nerdctl|buildah|docker-compose|podman-compose)$/,
        args: /(?:^| )(?:prune|rm|rmi|remove|(?:compose )?down\b.* (?:-v|--volumes|--rmi)|swarm leave|stack down|kill|machine reset|system reset)(?= |$)/,
      },
      { programs: CLOUDS, args: REMOVES },
      {
        programs: /^aws$/,
        args: /\bs3 sync\b.*--delete|(?:^| )(?:stop-instances|modify-\w+|put-bucket-policy)\b/,
      },
      {
        programs: /^(?:gsutil|rclone|s3cmd|mc)$/,
        args: /(?:^| )(?:rsync\b.*-d|sync|cleanup|del|mirror\b.*--remove|dedupe)(?= |$)/,
      },
      { programs: /^(?:etcdctl)$/, args: /(?:^| )(?:del|member remove)(?= |$)/ },
      { programs: /^(?:ansible|ansible-playbook)$/, args: /state=absent/ },
      { programs: /^nomad$/, args: /(?:^| )(?:job )?stop\b.*-purge|(?:^| )system gc/ },
      { programs: /^(?:wsl)$/, args: /--(?:unregister|shutdown|terminate)/ },
    ],
  },
  {
    says: displayText("safety.line.endsByName"),
    examples: "pkill node · killall -9 python · kill -9 -1 · taskkill /IM node.exe · kill $(pgrep node)",
    calls: [
      {
        programs: /^(?:pkill|killall|killall5|skill|xkill|slay|fkill|kill-port|pskill)$/,
        except: /^-(?:l|V|-list|-version)$/,
      },
      { programs: /^kill$/, args: /^(?:\S+ )+-1(?= |$)|^-- -1\b|(?:^| )0$/ },
      {
        programs: /^kill$/,
        beside: /^(?:pgrep|pidof|lsof|fuser|ps|ss|netstat|get-process|gps)$/,
        except: /^-0\b/,
      },
      { programs: /^fuser$/, args: /(?:^| )-\w*k/ },
      { programs: /^taskkill$/, args: /(?:^| )[-/](?:im|fi)\b/i },
      { programs: /^(?:stop-process|spps|kill)$/, args: /(?:^| )-n(?:a(?:me?)?)?\b/i },
      { programs: /^(?:stop-process|spps)$/, beside: /^(?:get-process|gps|ps)$/ },
      { programs: /^(?:tskill)$/ },
      { programs: /^wmic$/, args: /\b(?:delete|terminate|call)\b/i },
      { programs: /^(?:npx|bunx|pnpm|yarn)$/, args: /(?:^| )(?:kill-port|fkill(?:-cli)?|killport)\b/ },
      { programs: /^systemctl$/, args: /(?:^| )kill\b/ },
      { programs: /^tmux$/, args: /^kill-(?:server|session)/ },
    ],
  },
  {
    says: displayText("safety.line.changesUsers"),
    examples: "useradd · usermod · passwd · chsh · visudo · net user",
    calls: [
      {
        programs:
          /^(?:useradd|adduser|usermod|userdel|deluser|newusers|groupadd|addgroup|groupmod|groupdel|delgroup|gpasswd|passwd|chpasswd|chgpasswd|chage|visudo|vipw|vigr|chsh|chfn|dscl|sysadminctl|dseditgroup|pwpolicy|smbpasswd|htpasswd|kadmin|realm|new-localuser|set-localuser|remove-localuser|enable-localuser|disable-localuser|rename-localuser|add-localgroupmember|remove-localgroupmember|new-localgroup|remove-localgroup|setcap|chattr|setfacl|icacls|takeown)$/,
      },
      { programs: /^net1?$/, args: /^(?:user|localgroup|accounts|group)\b/i },
    ],
  },
  {
    says: displayText("safety.line.changesNetwork"),
    examples: "iptables -F · ufw disable · nft flush ruleset · ip link set · netsh",
    calls: [
      {
        programs: /^(?:iptables(?:-\w+)?|ip6tables(?:-\w+)?|ebtables|arptables)$/,
        except: /^(?:-[Lnvt]+|--list|-S|--list-rules| |nat|filter|mangle|INPUT|OUTPUT|FORWARD)+$/,
      },
      { programs: /^(?:nft)$/, except: /^(?:list|-v|--version)\b/ },
      {
        programs: /^(?:ufw|pfctl|ipset|firewall-cmd|csf|fail2ban-client)$/,
        except: /^(?:status|--state|--list\S*|--get\S*|-s|list|version)\b/,
      },
      { programs: /^netsh$/, except: /\bshow\b/i },
      { programs: /^(?:new|set|remove|disable|enable)-net\w+$/ },
      { programs: /^ip$/, args: /(?:^| )(?:add|del|delete|change|replace|set|flush|append)(?= |$)/ },
      {
        programs:
          /^(?:ifconfig|ifup|ifdown|route|arp|tc|brctl|bridge|iwconfig|wg|wg-quick|openvpn|tailscale|ngrok|cloudflared|localtunnel|lt)$/,
        args: /\S+ \S|^(?:up|down|http|tunnel|tcp|serve|funnel)\b/,
      },
      {
        programs: /^(?:nmcli|networksetup|scutil|resolvectl|hostnamectl|systemd-resolve)$/,
        args: /(?:^| )(?:up|down|add|modify|delete|set\S*|-set\S+|--set|off|on|flush-caches|domain|dns|set-hostname|connect|disconnect)(?= |$)/,
      },
      { programs: /^hostname$/, args: /^[^-]/ },
      { programs: /^npx$/, args: /(?:^| )(?:localtunnel|ngrok|untun|cloudflared)\b/ },
    ],
  },
  {
    says: displayText("safety.line.changesSystem"),
    examples: "date -s · timedatectl set-time · mount · umount · modprobe · sysctl -w · setenforce",
    calls: [
      { programs: /^date$/, args: /(?:^| )(?:-s|--set\S*|-\w*s\S*|\d{8,12}(?:\.\d\d)?)(?= |$)/ },
      { programs: /^timedatectl$/, args: /(?:^| )set-/ },
      {
        programs:
          /^(?:hwclock|ntpdate|ntpd|chronyc|chronyd|sntp|rdate|set-date|set-timezone|w32tm|systemsetup|tzutil)$/,
        except: /^(?:--show|-r|tracking|sources|--help)\b|^$/,
      },
      { programs: /^mount$/, args: /(?:^| )[^-]|(?:^| )-a/ },
      {
        programs:
          /^(?:umount|losetup|swapon|swapoff|fusermount3?|sshfs|bindfs|encfs|mount[._]\w+|mount-\w+|dismount-\w+|subst|pivot_root|chroot|udisksctl|zfs|btrfs|mdadm|lvremove|lvcreate|vgcreate|resize2fs|tune2fs|fsck\S*|e2fsck|quotacheck)$/,
        except: /^(?:-l|--list|--show|list|status|get|--version|info)?$/,
      },
      { programs: /^hdiutil$/, args: /^(?:attach|detach|mount|unmount|erase|create|resize)\b/ },
      { programs: /^diskutil$/, args: /^(?:un)?mount|^eject/i },
      { programs: /^net1?$/, args: /^(?:use|share|session|stop|start)\b/i },
      { programs: /^new-psdrive$|^new-smb\w+$/ },
      {
        programs:
          /^(?:modprobe|insmod|rmmod|kextload|kextunload|kmutil|depmod|dkms|setenforce|setsebool|semanage|aa-\w+|apparmor_parser|csrutil|spctl|nvram|bless|tmutil|efibootmgr|grub-\S+|update-grub|update-initramfs|dracut|mkinitcpio|bcdedit|reg|regedit|regini|sfc|dism|set-executionpolicy|set-mppreference|vssadmin|wbadmin|fsutil|cipher|defaults|pmset|kexec|sysrq|unshare|nsenter|capsh)$/,
        except: /^(?:query|--version|-l|read)\b/,
      },
      { programs: /^sysctl$/, args: /(?:^| )(?:-w|-p|--write|--load|--system|\S+=)/ },
      {
        programs: /^(?:set-itemproperty|new-itemproperty|remove-itemproperty|sp|reg)$/,
        args: /\bHK(?:LM|CU|CR|U|CC)\b|registry::/i,
      },
      { programs: /^ulimit$/, args: /-c unlimited/ },
    ],
  },
  {
    says: displayText("safety.line.changesServices"),
    examples: "systemctl enable · service … restart · launchctl load · crontab · at · schtasks · sc create",
    calls: [
      {
        programs: /^(?:crontab|at|batch|schtasks|launchctl|systemd-run|anacron|atrm|fcron\w*|incrontab)$/,
        args: /\S/,
        except: /^(?:-l|\/query|list|print)$/i,
      },
      {
        programs: /^systemctl$/,
        args: /\b(?:enable|disable|start|stop|restart|try-restart|reload|reload-or-restart|mask|unmask|link|edit|set-property|set-default|isolate|daemon-reload|daemon-reexec|revert|preset|import-environment|set-environment|reset-failed)\b/,
      },
      {
        programs: /^(?:service|rc-service|invoke-rc\.d)$/,
        args: /\b(?:start|stop|restart|reload|force-reload|condrestart)\b/,
      },
      {
        programs:
          /^(?:rc-update|update-rc\.d|chkconfig|initctl|start-stop-daemon|svcadm|s6-\w+|sv|runsv|svc|loginctl|insserv)$/,
        args: /\S/,
        except: /^(?:list|status|show|--list|session-status|list-sessions)\b/,
      },
      { programs: /^sc$/, args: /^(?:\\\\\S+ )?(?:create|delete|config|start|stop|failure|sdset|pause)\b/i },
      { programs: /^(?:start|stop|restart|set|new|remove|suspend|resume)-service$/ },
      { programs: /^(?:register|unregister|set|new|start|enable|disable)-scheduled\w+$/ },
      { programs: /^brew$/, args: /^services (?:start|stop|restart|run|kill|cleanup)\b/ },
      { programs: /^pm2$/, args: /^(?:startup|save|unstartup|kill|delete)\b/ },
      { programs: /^supervisorctl$/, args: /^(?:start|stop|restart|shutdown|update|remove|reload)\b/ },
      { programs: /^loginctl$/, args: /linger|terminate|kill/ },
    ],
  },
  {
    says: displayText("safety.line.leavesLine"),
    examples:
      "open · osascript · xdg-open · busctl call · flatpak-spawn · pbcopy · Start-Process · explorer · mshta",
    calls: [
      {
        programs: /^(?:open|osascript|shortcuts|automator|pbcopy|pbpaste|screencapture|tccutil|lsregister)$/,
      },
      { programs: /^(?:sfltool|qlmanage)$/ },
      { programs: /^batch$/ },
      {
        programs:
          /^(?:xdg-open|xdg-email|gvfs-open|gnome-open|kde-open5?|exo-open|mimeopen|run-mailcap|sensible-browser|x-www-browser|www-browser|wslview|wsl-open|gtk-launch|kioclient5?|dex)$/,
      },
      { programs: /^(?:flatpak-spawn|host-spawn|distrobox-host-exec|toolbox|dbus-send|qdbus\S*)$/ },
      {
        programs:
          /^(?:xdotool|ydotool|wtype|xclip|xsel|wl-copy|wl-paste|clip|set-clipboard|get-clipboard|scb|gcb)$/,
      },
      { programs: /^gio$/, args: /^(?:open|launch|mount)\b/ },
      { programs: /^(?:busctl|gdbus)$/, args: /(?:^| )(?:call|emit|set-property)(?= |$)/ },
      { programs: /^xdg-(?:mime|settings)$/, args: /^(?:default|install|set)\b/ },
      {
        programs:
          /^(?:start|start-process|saps|invoke-item|ii|explorer|mshta|rundll32|regsvr32|pcalua|forfiles|conhost|wt|hh|control|installutil|odbcconf|bitsadmin|start-bitstransfer|invoke-cimmethod|invoke-wmimethod|icim|iwmi|set-wmiinstance|swmi)$/,
      },
      { programs: /^new-object$/, args: /(?:^| )-c(?:o(?:m\w*)?)?(?= |:|$)/i },
      { programs: /^(?:cmd|pwsh|powershell)$/, args: /(?:^| )start(?:-process)?(?= |_|$)/i },
    ],
  },
  {
    says: displayText("safety.line.changesMachinePrograms"),
    examples: "apt install · brew install · npm install -g · pip install --user · code --install-extension",
    calls: [
      {
        programs:
          /^(?:apt|apt-get|aptitude|dnf|yum|microdnf|zypper|snap|flatpak|brew|port|choco|winget|scoop|mas|emerge|xbps-install|nix-env|guix|pkg|pkg_add|opkg|tdnf)$/,
        args: /(?:^| )(?:install|reinstall|remove|purge|autoremove|upgrade|full-upgrade|dist-upgrade|uninstall|erase|add|del|rm|-i\w*|-e\w*|tap|link|unlink|update-alternatives|refresh|localinstall|groupinstall|swap|downgrade|import)(?= |$)/,
      },
      { programs: /^apk$/, args: /(?:^| )(?:add|del|upgrade|fix)(?= |$)/ },
      { programs: /^pacman$/, args: /(?:^| )-(?:S(?![si]+(?: |$))|R|U|D)\w*/ },
      {
        programs: /^(?:dpkg|rpm)$/,
        args: /(?:^| )(?:-i\w*|-U\w*|-e\w*|-r|-P|-F\w*|--install|--remove|--purge|--configure|--erase|--upgrade)(?= |$)/,
      },
      {
        programs:
          /^(?:installer|msiexec|update-alternatives|dpkg-reconfigure|xcode-select|softwareupdate|install-module|install-package|install-script|add-appxpackage|remove-appxpackage|ldconfig)$/,
        args: /\S/,
      },
      {
        programs: /^(?:npm|pnpm|bun)$/,
        args: /(?:^| )(?:i|install|add|un|uninstall|remove|rm|r|up|update|link|ci)\b.* (?:-[a-zA-Z]*g[a-zA-Z]*|--global|--location[= ]global)(?= |$)|(?:^| )(?:-g|--global|--location[= ]global)(?: \S+)* (?:i|install|add|un|uninstall|remove|rm|up|update|ci)(?= |$)/,
      },
      { programs: /^yarn$/, args: /^global (?:add|remove|upgrade)\b/ },
      { programs: /^(?:pip|pip3)$/, args: /(?:^| )(?:--user|--break-system-packages)(?= |$)/ },
      { programs: /^python[\d.]*$/, args: /^-m pip\b.*(?:--user|--break-system-packages)(?= |$)/ },
      { programs: /^(?:code|code-insiders|codium|cursor|windsurf)$/, args: /--(?:un)?install-extension\b/ },
    ],
  },
  {
    says: displayText("safety.line.showsEnvironment"),
    examples: "printenv · env · ps e · cat /proc/self/environ · node -p process.env · make -p",
    calls: [
      { programs: /^printenv$/ },
      { programs: /^env$/, args: /^(?:-0|--null|-v|--debug|(?:-u|--unset)[ =]?\S+|--unset=\S+| )*$/ },
      { programs: /^(?:set|export|setenv)$/, args: /^(?:-p)?$/ },
      { programs: /^compgen$/, args: /(?:^| )-\w*[ev]/ },
      {
        programs:
          /^(?:gci|get-childitem|dir|ls|gi|get-item|gc|get-content|cat|type|gv|get-variable|set-location|cd|sl|pushd|resolve-path)$/,
        args: /(?:^| |:)(?:microsoft\.powershell\.core\\environment::|env(?:ironment)?:)/i,
      },
      { programs: /^(?:declare|typeset|readonly|local)$/, args: /^(?:-[a-z]*[xp][a-z]*)?$/ },
      { programs: /^ps$/, args: /^[a-z]*e[a-z]*\b|\benviron\b|(?:^| )[a-z]*e[a-z]*$|(?:^| )-[a-zA-Z]*E/ },
      {
        programs: ANY,
        args: /\/proc\/(?:\S*\/)?(?:environ|mem|maps|smaps\w*|auxv|kcore|kallsyms|cmdline|syscall|stack|pagemap|clear_refs|oom_\w+|sysrq-trigger)\b|\/proc\/\S*[*?[\]{}]|\/dev\/(?:k?mem|port)\b|\/proc\/(?!self\/(?:fd|status|stat)\b)(?:self|thread-self|\d+|\0)\/(?:fd|root|cwd|exe|task|ns)\b/,
      },
      { programs: /^(?:cd|pushd)$/, args: /^(?:--? )?\/proc\/?\S*/ },
      {
        programs:
          /^(?:gdb|lldb|strace|ltrace|gcore|rr|perf|bpftrace|procdump|py-spy|rbspy|jmap|jinfo|jcmd|jstack|dotnet-dump|pmap|pstack|reptyr|ptrace|frida\S*|scanmem|memdump|coredumpctl|eu-stack|heaptrack|dtrace|dtruss)$/,
        args: /(?:^| )(?:-\w*p ?\d*|--pid\S*|--attach\S*|-o \S+ \d+|attach|dump\S*|\d+|VM\.\S+|\0)(?= |$)/,
      },
      { programs: /^(?:make|gmake)$/, args: /(?:^| )(?:-[a-zA-Z]*p[a-zA-Z]*|--print-d\S*)(?= |$)/ },
      {
        programs: /^(?:npm|pnpm|yarn)$/,
        args: /^(?:run(?:-script)? )?env$|^(?:exec|x|dlx) (?:-- )?(?:env|printenv)$/,
      },
      { programs: /^npx$/, args: /^(?:--?\w+ )*(?:env|printenv)$/ },
      { programs: /^systemctl$/, args: /\bshow-environment\b/ },
      { programs: /^systemd-cgls$|^launchctl$/, args: /\b(?:getenv|export|procinfo)\b/ },
      {
        programs: /^(?:docker|podman|nerdctl)$/,
        args: /(?:^| )(?:inspect|(?:compose )?config|exec\b.* (?:env|printenv))(?= |$)/,
      },
      { programs: /^(?:kubectl|oc)$/, args: /\bexec\b.* (?:env|printenv)(?= |$)|\bset env\b.*--list/ },
      { programs: /^jq$/, args: /(?:^| |_|\()(?:env|\$ENV)\b/ },
      { programs: /^(?:cmake)$/, args: /-E environment\b/ },
      { programs: /^(?:direnv)$/, args: /^(?:dump|export|show_dump)\b/ },
      {
        programs:
          /^(?:heroku|vercel|netlify|flyctl|railway|doppler|infisical|chamber|dotenv|dotenvx|envchain|aws-vault|sops|ansible-vault)$/,
        args: /\b(?:config|env|secrets?|variables|run|export|decrypt|view|-d|get|pull|list|exec)\b/,
      },
    ],
  },
  {
    says: displayText("safety.line.revealsCredentials"),
    examples:
      "git credential fill · gh auth token · gpg --export-secret-keys · security find-generic-password · vault read",
    calls: [
      { programs: /^git$/, args: /\bcredential\b|\bcredential-\w+|\bextraheader\b/i },
      { programs: /^git-credential-\S+$/ },
      {
        programs: ANY,
        args: /169\.254\.169\.254|\b2852039166\b|0xa9fea9fe|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::254|169\.254\.170\.2|instance-data\b/i,
      },
      { programs: /^(?:gh|glab)$/, args: /\bauth (?:token|status.*(?:-t|--show-token))(?= |$)/ },
      { programs: /^gpg2?$/, args: /--export-secret|--decrypt|(?:^| )-\w*d\b/ },
      {
        programs:
          /^(?:security|secret-tool|pass|gopass|op|bw|lpass|rbw|keyring|cmdkey|kwallet-query|vaultcmd|keepassxc-cli|keyctl|ssh-add|gnome-keyring\S*|dpapick|get-credential|get-secret|klist|kinit)$/,
      },
      { programs: /^docker-credential-/ },
      {
        programs: /^aws$/,
        args: /\bconfigure (?:get|export|list)|\bget-session-token\b|\bassume-role\b|\bget-secret|\bget-parameters?\b.*--with-decryption|\becr get-login|\bsso\b/,
      },
      {
        programs: /^(?:gcloud|az)$/,
        args: /\bprint-\S*token\b|\bget-access-token\b|\bsecrets? (?:versions access|show|list)\b|\bkeys? (?:list|show|create)\b|\bapplication-default\b/,
      },
      { programs: /^(?:kubectl|oc)$/, args: /\bview\b.*--raw|\bsecrets?\b|\bcreate token\b|\bwhoami\b.*-t/ },
      { programs: /^vault$/, args: /\b(?:read|kv get|print token|token)\b/ },
      { programs: /^(?:npm|pnpm|yarn)$/, args: /^token\b|\b_auth(?:Token)?\b/i },
      { programs: /^openssl$/, args: /\b(?:rsa|pkey|ec|pkcs12|pkcs8)\b.*(?:-in|-nodes|-nocrypt)/ },
      { programs: /^ssh-keygen$/, args: /(?:^| )-(?:\w*y|\w*p)\b/ },
    ],
  },
  {
    says: displayText("safety.line.changesProgramSettings"),
    examples: "git config core.hooksPath … · git -c … · npm config set · go env -w · git remote set-url",
    calls: [
      {
        programs: /^git$/,
        args: /(?:^| )-c \S+=|(?:^| )--config-env\b|(?:^| )--exec-path=|(?:^| )--template\b|^config\b(?!(?: --?\S+)* (?:--get|--get-all|--get-regexp|--get-urlmatch|get|--list|-l|list)\b)(?: \S+){2,}|^config.* (?:--unset|--unset-all|--add|-e|--edit|set|unset|edit|--replace-all|--rename-section|--remove-section|rename-section|remove-section)\b/i,
      },
      {
        programs: /^git$/,
        args: /^remote (?:set-url|add\b.*--mirror)|^hook\b|^bisect run\b|^difftool\b|^mergetool\b|^submodule foreach\b|^rebase\b.* (?:-x|--exec)/,
      },
      {
        programs: /^(?:npm|pnpm|yarn|pip3?|conda|cargo|go|bundle|composer|poetry|uv)$/,
        args: /^config (?:set|edit|delete)\b|^config --global\b|^env -w\b|^pkg set\b|^set-script\b/,
      },
      { programs: /^(?:direnv|mise|asdf)$/, args: /^(?:allow|permit|grant|trust|global|set|use -g)\b/ },
      { programs: /^(?:pre-commit|husky|lefthook)$/, args: /^install\b/ },
      {
        programs: /^git$/,
        args: /^(?:clone|ls-remote|fetch|fetch-pack|pull)\b.* (?:-u(?= )|--upl\w*)|^push\b.* --(?:exec|rece\w*)|^grep\b.* (?:-O|--open\w*)/,
      },
      { programs: /^enable$/, args: /(?:^| )-f/ },
      { programs: /^hash$/, args: /(?:^| )-p/ },
    ],
  },
  {
    says: displayText("safety.line.actsAsAnotherUser"),
    examples: "sudo · su · doas · chmod u+s · docker run --privileged",
    calls: [
      { programs: /^(?:sudo|sudoedit|doas|su|pkexec|runas|gsudo|run0|machinectl|setpriv|capsh|newgrp|sg)$/ },
      { programs: /^chmod$/, args: /(?:^| )(?:[ugoa]*[+=]\w*s|[2467]\d{3}|0[2467]\d{3})\b/ },
      { programs: /^install$/, args: /(?:^| )(?:-m ?|--mode=)(?:[2467]\d{3}|[ugoa]*[+=]\w*s)/ },
      {
        programs: /^(?:docker|podman|nerdctl)$/,
        args: /\b(?:run|create)\b.*(?:-v|--volume|--mount|--privileged|--pid[= ]host|--network[= ]host|--net[= ]host|--userns[= ]host|--ipc[= ]host|--cap-add|--device|--security-opt)|\bexec\b.*--privileged/,
      },
    ],
  },
];

/** Reasons to ask in every mode by the places and files that it names, for the documentation. */
export const ASKING_BY_PLACE: readonly { readonly says: string; readonly examples: string }[] = [
  {
    says: "writes outside the workspace, by any flag, redirection, folder or link",
    examples:
      "curl -o ~/x · tar -xf x.tar -C /opt · make install DESTDIR=/opt · cd .. && make · echo x > ../y",
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
