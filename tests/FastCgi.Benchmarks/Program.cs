using System.Runtime.InteropServices;
using FastCgi.Benchmarks.Curves;
using FastCgi.Benchmarks.Direct;
using FastCgi.Benchmarks.FirstMinute;
using FastCgi.Benchmarks.Hop;
using FastCgi.Benchmarks.Memory;
using FastCgi.Benchmarks.Micro;
using FastCgi.Benchmarks.Start;
using FastCgi.Benchmarks.Systems;
using FastCgi.Benchmarks.Tables;

var root = new RootCommand("The speed of the FastCGI server, beside others and by itself.")
{
    CompareCommand.Create(),
    DirectCommand.Create(),
    HopCommand.Create(),
    CurvesCommand.Create(),
    StartCommand.Create(),
    FirstMinuteCommand.Create(),
    MemoryCommand.Create(),
    MicroCommand.Create(),
    ServeCommand.Create(),
    ForwardCommand.Create(),
    SystemsCommand.Create(),
};
root.Add(TablesCommand.Create(root));
if (args is ["serve" or "forward", ..])
{
    // The host stops it by itself, and what is measured has no further handlers.
    return await root.Parse(args).InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = null });
}

// At an exit, what was started ends too; a signal alone would leave it behind.
using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Exit);
using var terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Exit);
try
{
    return await root.Parse(args).InvokeAsync(
        new InvocationConfiguration { ProcessTerminationTimeout = null, EnableDefaultExceptionHandler = false });
}
catch (InvalidOperationException e)
{
    // What is missing on this machine, or did not do its part.
    await Console.Error.WriteLineAsync(e.Message);
    return 1;
}

static void Exit(PosixSignalContext signal)
{
    signal.Cancel = true;
    Environment.Exit(signal.Signal == PosixSignal.SIGINT ? 130 : 143);
}
