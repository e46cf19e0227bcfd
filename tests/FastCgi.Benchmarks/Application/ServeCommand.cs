using System.CommandLine;

namespace FastCgi.Benchmarks.Application;

/// <summary><c>serve</c>: the application under test, as the comparisons start it.</summary>
internal static class ServeCommand
{
    public static Command Create()
    {
        var server = new Argument<ServerKind>("server") { Description = "FastCgi or Kestrel" };
        var socket = new Argument<string>("socket") { Description = "the path of the unix socket to listen on" };
        var command = new Command("serve", "Serves the workloads on a unix socket.") { server, socket };
        command.SetAction((parsed, _) =>
            BenchmarkApplication.RunAsync(parsed.GetRequiredValue(server), parsed.GetRequiredValue(socket)));
        return command;
    }
}
