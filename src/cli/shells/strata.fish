# fish completion of strata: commands, options, machines, workloads, parameters, files.

function __strata_commands
    strata --complete 2>/dev/null | string replace -r '\t\t' '\t'
end

function __strata_options
    set -l words (commandline -opc)
    test (count $words) -ge 2; and strata $words[2] --complete 2>/dev/null | string replace -r '\t[^\t]*\t' '\t'
end

function __strata_after
    set -l words (commandline -opc)
    contains -- $words[-1] $argv
end

function __strata_listed
    strata list $argv[1] 2>/dev/null | string replace -r ': +' '\t'
end

complete -c strata -n __fish_use_subcommand -f -a "(__strata_commands)"
complete -c strata -n "__strata_after --machine --machines" -f -a "(__strata_listed machines)"
complete -c strata -n "__strata_after --memory" -f -a "(__strata_listed memories)"
function __strata_parameters
    set -l kind params
    contains -- mem (commandline -opc)[2]; and set kind memory-params
    strata list $kind 2>/dev/null | string replace -r ' .*' '='
end

complete -c strata -n "__strata_after --set" -f -a "(__strata_parameters)"
complete -c strata -n "not __fish_use_subcommand; and string match -q -- '-*' (commandline -ct)" -f -a "(__strata_options)"
complete -c strata -n "__fish_seen_subcommand_from run compare check why correlate advise" -a "(__strata_listed workloads)"
complete -c strata -n "__fish_seen_subcommand_from bench" -f -a "(__strata_listed families)"
