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

        root.Add(GetCommand.Create(terminal));
        root.Add(PingCommand.Create(terminal));
        root.Add(ParamsCommand.Create(terminal));
        root.Add(BenchCommand.Create(terminal));
        root.Add(StatusCommand.Create(terminal));
        root.Add(ServeCommand.Create(terminal));
        root.Add(ConfigCommand.Create(terminal));
        root.Add(DoctorCommand.Create(terminal));
        root.Add(RunCommand.Create());
        root.Add(CompletionCommand.Create(terminal));
        return root;
    }
}
