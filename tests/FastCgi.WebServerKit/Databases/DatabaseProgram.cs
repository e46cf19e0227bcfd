using FastCgi.WebServerKit.Network;

namespace FastCgi.WebServerKit.Databases;

/// <summary>Programs of a database server, which refuse to run as root and then run as the server's own user.</summary>
internal static class DatabaseProgram
{
    private static readonly TimeSpan _deadline = TimeSpan.FromMinutes(2);

    /// <summary>Makes a directory below the work directory that the user may write to.</summary>
    public static async Task<string> MakeDirectoryAsync(WorkDirectory directory, string name, string user)
    {
        directory.LetEverybodyThrough();
        var path = directory.Subdirectory(name);
        if (Environment.IsPrivilegedProcess)
        {
            await RunAsync("chown", [user, path], directory.Path);
        }

        return path;
    }

    /// <summary>Runs a program to its end, which has to be a good one.</summary>
    /// <returns>The lines that it wrote.</returns>
    public static async Task<IReadOnlyList<string>> RunAsync(string program, IEnumerable<string> arguments, string directory) =>
        (await ChildProcess.SucceedAsync(program, arguments, directory, deadline: _deadline)).Lines;

    /// <summary>Starts a server and waits until it says that it is ready.</summary>
    /// <returns>Null when it ended instead.</returns>
    public static async Task<ChildProcess?> StartAsync(
        string program,
        IEnumerable<string> arguments,
        string directory,
        string readyMessage,
        TestMachine? machine = null)
    {
        var server = machine?.Start(program, arguments, directory)
            ?? ChildProcess.Start(program, arguments, directory);
        try
        {
            var ready = server.Log.FirstAsync(line => line.Contains(readyMessage, StringComparison.Ordinal));
            await Task.WhenAny(ready, server.Ended).Within($"the start of {program}", server.Log.ToString, _deadline);
            if (ready.IsCompleted)
            {
                return server;
            }
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }

        await server.DisposeAsync();
        return null;
    }
}
