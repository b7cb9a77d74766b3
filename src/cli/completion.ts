import { choiceParser, operand } from "../config.ts";
import { command } from "./command.ts";

const shells = ["bash", "zsh", "fish"] as const;

export const completionCommand = command({
  name: "completion",
  summary: "Print a completion script for bash, zsh or fish.",
  details: `bash: add eval "$(animal-store completion bash)" to ~/.bashrc
zsh:  add eval "$(animal-store completion zsh)" to ~/.zshrc, after compinit
fish: animal-store completion fish > ~/.config/fish/completions/animal-store.fish`,
  operands: {
    shell: operand(shells.join("|"), choiceParser(shells), {
      help: "Your shell.",
      expects: "bash, zsh or fish",
      choices: shells,
    }),
  },
  async run({ operands: { shell }, output }) {
    return await output.print(scripts[shell], { shell, script: scripts[shell] });
  },
});

export const candidatesCommand = "__complete";

/** The scripts request completions from the program (candidates.ts), so that the completions are never outdated. */
const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_animal_store() {
  local word line
  word=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":" ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <("\${COMP_WORDS[0]}" ${candidatesCommand} bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _animal_store animal-store`,
  zsh: `_animal_store() {
  local line
  local -a found
  while IFS= read -r line; do
    if [[ $line == ":" ]]; then
      _files
    else
      line=\${line//:/\\\\:}
      found+=("\${line/$'\\t'/:}")
    fi
  done < <("\${words[1]}" ${candidatesCommand} zsh "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe 'animal-store' found
}
compdef _animal_store animal-store`,
  fish: `function __animal_store_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l program $words[1]
    for line in ($program ${candidatesCommand} fish $words[2..] 2>/dev/null)
        if test "$line" = ":"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c animal-store -f -a '(__animal_store_complete)'`,
};
