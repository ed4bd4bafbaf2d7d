# bash completion of strata: commands, options, machines, workloads, parameters, files.
_strata()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
	[ "$before" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}
	[ "$word" = = ] && word=
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "$(strata --complete 2>/dev/null | cut -f1)" -- "$word")
		return
	fi
	case $before in
	--machine)
		mapfile -t COMPREPLY < <(compgen -W "$(strata list machines 2>/dev/null | cut -d: -f1)" -- "$word")
		;;
	--memory)
		mapfile -t COMPREPLY < <(compgen -W "$(strata list memories 2>/dev/null | cut -d: -f1)" -- "$word")
		;;
	--set)
		compopt -o nospace 2>/dev/null
		local kind=params
		[ "$command" != mem ] || kind=memory-params
		mapfile -t COMPREPLY < <(compgen -S = -W "$(strata list $kind 2>/dev/null | cut -d' ' -f1)" -- "$word")
		;;
	--machines)
		compopt -o nospace 2>/dev/null
		local first=
		[[ $word == *,* ]] && first=${word%,*},
		mapfile -t COMPREPLY < <(compgen -P "$first" -W "$(strata list machines 2>/dev/null | cut -d: -f1)" -- \
			"${word##*,}")
		;;
	*)
		if [[ $word == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(strata "$command" --complete 2>/dev/null | cut -f1)" -- "$word")
		elif [[ $command =~ ^(run|compare|check|why|correlate|advise)$ ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(strata list workloads 2>/dev/null | cut -d: -f1)" -- "$word"
				compgen -f -- "$word")
		elif [[ $command == bench ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(strata list families 2>/dev/null | cut -d: -f1)" -- "$word")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		fi
		;;
	esac
}
complete -F _strata strata
