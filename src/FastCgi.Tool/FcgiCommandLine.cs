using System.CommandLine.Help;
using FastCgi.Tool.Commands;

namespace FastCgi.Tool;

/// <summary>All commands of the tool.</summary>
internal static class FcgiCommandLine
{
    private static readonly (string Name, Func<ToolTerminal, Command> Create)[] s_commands =
    [
        ("get", static terminal => new GetCommand(terminal)),
        ("ping", static terminal => new PingCommand(terminal)),
        ("params", static terminal => new ParamsCommand(terminal)),
        ("bench", static terminal => new BenchCommand(terminal)),
        ("status", static terminal => new StatusCommand(terminal)),
        ("serve", static terminal => new ServeCommand(terminal)),
        ("config", static terminal => new ConfigCommand(terminal)),
        ("doctor", static terminal => new DoctorCommand(terminal)),
        ("run", static _ => new RunCommand()),
        ("completion", static terminal => new CompletionCommand(terminal)),
    ];

    /// <param name="terminal">The terminal of the commands.</param>
    /// <param name="first">
    /// The first argument. If it names a command, the others are left out, so the runtime need not compile their code.
    /// </param>
    public static RootCommand Create(ToolTerminal terminal, string? first = null)
    {
        var root = new RootCommand(
            "Sends requests to FastCGI and SCGI applications, shows what web servers send, measures, serves, and " +
            "checks configurations. An endpoint is written as in a web server's file: unix:/run/app/app.sock, " +
            "127.0.0.1:9000, scgi://127.0.0.1:9001.");
        foreach (Option option in root.Options)
        {
            if (option is HelpOption { Action: HelpAction help })
            {
                option.Action = new ExampleHelpAction(help);
                // Without a command, the tool prints its help.
                root.SetAction(parsed => help.Invoke(parsed));
            }
        }

        bool isNamed = s_commands.Any(command => command.Name == first);
        foreach ((string name, Func<ToolTerminal, Command> create) in s_commands)
        {
            if (!isNamed || name == first)
            {
                root.Add(create(terminal));
            }
        }

        return root;
    }
}
