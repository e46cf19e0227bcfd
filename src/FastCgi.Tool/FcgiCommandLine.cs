using System.CommandLine.Help;
using FastCgi.Tool.Commands;

namespace FastCgi.Tool;

/// <summary>All commands of the tool.</summary>
internal static class FcgiCommandLine
{
    public static RootCommand Create(ToolTerminal terminal)
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
                // Without a command, the tool says what it can.
                root.SetAction(parsed => help.Invoke(parsed));
            }
        }

        root.Add(new GetCommand(terminal));
        root.Add(new PingCommand(terminal));
        root.Add(new ParamsCommand(terminal));
        root.Add(new BenchCommand(terminal));
        root.Add(new StatusCommand(terminal));
        root.Add(new ServeCommand(terminal));
        root.Add(new ConfigCommand(terminal));
        root.Add(new DoctorCommand(terminal));
        root.Add(new RunCommand());
        root.Add(new CompletionCommand(terminal));
        return root;
    }
}
