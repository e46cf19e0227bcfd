namespace FastCgi.PeerTests;

/// <summary>mono-fastcgi-server4, which serves System.Web.</summary>
public sealed class MonoPeerTests(MonoPeerTests.Peer application) : PeerTest<MonoPeerTests.Peer>(application)
{
    protected override bool IsDuplex => false;

    /// <summary>It may write END_REQUEST into a record of another request, and closes at a body of an ended one.</summary>
    protected override bool KeepsSharedConnections => false;

    public sealed class Peer : PeerApplication
    {
        /// <summary>System.Web looks for the whole path below its root.</summary>
        public override void Configure(FastCgiHandlerOptions options)
        {
            options.DocumentRoot = Sources("mono");
            options.ScriptExtensions.Clear();

            // Each connection keeps a thread, and Mono's pool adds no more than two in a second.
            options.MaxConnections = 4;
        }

        private protected override Task<(string Program, string[] Arguments)> PrepareAsync()
        {
            InstalledProgram.Find("mcs");
            return Task.FromResult<(string, string[])>((
                InstalledProgram.Find("fastcgi-mono-server4"),
                [$"/socket=unix:{SocketPath}", $"/applications=/:{Sources("mono")}", "/multiplex=True"]));
        }
    }
}
