/** The shells that `sluice completion` writes a script for. */
export const shells = ["bash", "zsh", "fish"] as const;

/** One of `shells`. */
export type Shell = (typeof shells)[number];

/**
 * Each asks the program for the possible words, so that they match the installed version. If it has none, files are
 * offered.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# For ~/.bashrc: eval "$(sluice completion bash)"
_sluice() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    sluice completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
}
complete -o default -F _sluice sluice`,
  zsh: `#compdef sluice
# For ~/.zshrc, below compinit: eval "$(sluice completion zsh)"
_sluice() {
  local -a found
  found=("\${(@f)$(sluice completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _sluice sluice`,
  fish: `# For ~/.config/fish/completions/sluice.fish
function __sluice_words
  set -l typed (commandline -opc)
  sluice completion fish -- $typed[2..-1] (commandline -ct) 2>/dev/null
end
complete -c sluice -a '(__sluice_words)'`,
};
