namespace FastCgi.PeerTests;

/// <summary>node-fastcgi.</summary>
public sealed class NodePeerTests(NodePeerTests.Peer application) : PeerTest<NodePeerTests.Peer>(application)
{
    /// <summary>It closes a connection with its first long answer.</summary>
    protected override bool KeepsSharedConnections => false;

    public sealed class Peer : PeerApplication
    {
        private protected override async Task<(string Program, string[] Arguments)> PrepareAsync()
        {
            string program = InstalledProgram.Find("node");
            foreach (string file in (string[])["package.json", "server.js"])
            {
                File.Copy(Path.Combine(Sources("node"), file), Path.Combine(Directory, file));
            }

            await BuildAsync(InstalledProgram.Find("npm"), ["install", "--no-audit", "--no-fund"], Directory);
            return (program, [Path.Combine(Directory, "server.js"), SocketPath]);
        }
    }
}
