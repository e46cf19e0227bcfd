using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace FastCgi.Tool.CommandLine;

/// <summary>Writes the usual help, followed by the examples of the command.</summary>
internal sealed class ExampleHelpAction(HelpAction help) : SynchronousCommandLineAction
{
    public override int Invoke(ParseResult parseResult)
    {
        int code = help.Invoke(parseResult);
        if (parseResult.CommandResult.Command is ExampleCommand { Examples: [_, ..] examples })
        {
            TextWriter output = parseResult.InvocationConfiguration.Output;
            output.WriteLine("Examples:");
            foreach (string example in examples)
            {
                output.WriteLine($"  {example}");
            }

            output.WriteLine();
        }

        return code;
    }
}
