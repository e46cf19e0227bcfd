namespace FastCgi.Tool.Commands;

/// <summary>fcgi completion: a script with which a shell asks the tool for completions.</summary>
internal sealed class CompletionCommand : ExampleCommand
{
    private const string Bash = """
        _fcgi_complete() {
            local line="${COMP_LINE}" point="${COMP_POINT}" IFS=$'\n'
            local found="$(fcgi "[suggest:${point}]" "${line}" 2>/dev/null)"
            COMPREPLY=($(compgen -W "${found}" -- "${COMP_WORDS[COMP_CWORD]}"))
        }
        complete -o default -F _fcgi_complete fcgi
        """;

    private const string Zsh = """
        #compdef fcgi
        _fcgi() {
            local -a found
            found=("${(@f)$(fcgi "[suggest:${CURSOR}]" "${BUFFER}" 2>/dev/null)}")
            compadd -a found
            _files
        }
        compdef _fcgi fcgi
        """;

    private const string Fish = """
        complete -c fcgi -a '(fcgi "[suggest:"(commandline -C)"]" (commandline -cp) 2>/dev/null)'
        """;

    private const string PowerShell = """
        Register-ArgumentCompleter -Native -CommandName fcgi -ScriptBlock {
            param($word, $line, $point)
            fcgi "[suggest:$point]" "$line" | ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
            }
        }
        """;

    public CompletionCommand(ToolTerminal terminal)
        : base(
            "completion",
            "Prints a script that completes commands and options in a shell.",
            "fcgi completion bash > ~/.local/share/bash-completion/completions/fcgi",
            "fcgi completion pwsh >> $PROFILE")
    {
        var shell = new Argument<string>("shell") { Description = "The shell." };
        shell.AcceptOnlyFromAmong("bash", "zsh", "fish", "pwsh");
        Add(shell);
        SetAction(parsed =>
        {
            terminal.Output.WriteLine(parsed.GetRequiredValue(shell) switch
            {
                "bash" => Bash,
                "zsh" => Zsh,
                "fish" => Fish,
                _ => PowerShell,
            });
            return ExitCode.Success;
        });
    }
}
