using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace FastCgi.Benchmarks.Micro;

/// <summary><c>micro</c>: BenchmarkDotNet, with whatever arguments it takes.</summary>
internal static class MicroCommand
{
    public static Command Create()
    {
        var arguments = new Argument<string[]>("arguments")
        {
            Description = "BenchmarkDotNet's own, behind --; such as --filter '*Params*' or --job short",
            DefaultValueFactory = static _ => ["--filter", "*"],
        };
        var command = new Command("micro", "Runs the micro benchmarks: parts of the server in memory.") { arguments };
        // In this process: it is a release build already, and BenchmarkDotNet would build all of it again.
        command.SetAction(parsed => Report(BenchmarkSwitcher
            .FromAssembly(typeof(MicroCommand).Assembly)
            .Run([.. parsed.GetValue(arguments)!, "--inProcess"])));
        return command;
    }

    /// <returns>The exit code: 0 when every chosen benchmark ran.</returns>
    private static int Report(IEnumerable<Summary> summaries)
    {
        Summary[] all = [.. summaries];
        return all.Length > 0 && all.All(static summary =>
            !summary.HasCriticalValidationErrors && summary.Reports.All(static report => report.Success)) ? 0 : 1;
    }
}
