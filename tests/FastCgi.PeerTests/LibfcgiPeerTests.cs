namespace FastCgi.PeerTests;

/// <summary>The developers' kit of FastCGI, in C.</summary>
public sealed class LibfcgiPeerTests(LibfcgiPeerTests.Peer application) : PeerTest<LibfcgiPeerTests.Peer>(application)
{
    protected override bool HasStandardError => true;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Every_request_to_an_application_that_closes_each_connection_has_its_answer(bool canRepeat) =>
        PostManyAsync("/closing", canRepeat);

    public sealed class Peer : PeerApplication
    {
        /// <summary>It serves one connection at a time.</summary>
        public override void Configure(FastCgiHandlerOptions options) => options.MaxConnections = 1;

        private protected override async Task<(string Program, string[] Arguments)> PrepareAsync()
        {
            InstalledProgram.RequireFile("/usr/include/fcgiapp.h");
            string program = Path.Combine(Directory, "peer");
            await BuildAsync(
                InstalledProgram.Find("cc"), ["-o", program, Path.Combine(Sources("libfcgi"), "peer.c"), "-lfcgi"], Directory);
            return (program, [SocketPath]);
        }
    }
}
