/** For each shell, the script that asks `certloop complete-words`; where it finds nothing, files are offered. */
export const scripts = {
  bash: `_certloop() {
  local found
  COMPREPLY=()
  while IFS= read -r found; do
    COMPREPLY+=("$found")
  done < <(certloop complete-words --line "\${COMP_LINE:0:COMP_POINT}" -- "$2" 2>/dev/null)
  [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _certloop certloop
`,
  zsh: `#compdef certloop
_certloop() {
  local line
  local -a values shown list
  for line in "\${(@f)$(certloop complete-words -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
    [[ $line == *$'\\t'* ]] && list=(-l)
  done
  if (( $#values )); then compadd $list -d shown -a values; else _files; fi
}
if [[ $funcstack[1] == _certloop ]]; then
  _certloop "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
  compdef _certloop certloop
fi
`,
  fish: `function __certloop_words
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct | string replace -ra '[\\'"\\\\\\\\]' '')
    test (count $current) -gt 0; or set current ''
    set -l found (certloop complete-words -- $words $current 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path $current
    end
end
complete -c certloop -f -a '(__certloop_words)'
`,
} as const;
