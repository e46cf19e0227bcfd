namespace FastCgi.AspNetCore.Tests.Files;

public sealed class HandoverFoldersTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("fcgi-folders-");

    public HandoverFoldersTests()
    {
        Directory.CreateDirectory(At("files/sub"));
        Directory.CreateDirectory(At("elsewhere"));
        File.WriteAllText(At("files/a"), "");
        File.WriteAllText(At("files/sub/b"), "");
        File.WriteAllText(At("elsewhere/c"), "");
    }

    public void Dispose() => _directory.Delete(recursive: true);

    [Theory]
    [InlineData("files/a", "/_f/a")]
    [InlineData("files/sub/b", "/_f/sub/b")]
    [InlineData("files/../files/./sub//b", "/_f/sub/b")]
    [InlineData("files/../elsewhere/c", null)]
    [InlineData("files2", null)]
    [InlineData("files2/a", null)]
    [InlineData("file", null)]
    [InlineData("FILES/a", null)]
    public void A_file_belongs_to_the_folder_that_its_full_path_lies_in(string path, string? expected) =>
        Assert.Equal(expected, Find(At(path)));

    [Theory]
    [InlineData("a b", "a%20b")]
    [InlineData("100%", "100%25")]
    [InlineData("%41", "%2541")]
    [InlineData("what?", "what%3F")]
    [InlineData("c#", "c%23")]
    [InlineData("a+b", "a%2Bb")]
    [InlineData("it's \"q\"", "it%27s%20%22q%22")]
    [InlineData("é日", "%C3%A9%E6%97%A5")]
    [InlineData("😀", "%F0%9F%98%80")]
    [InlineData("a\r\nX: y\t\u007f", "a%0D%0AX%3A%20y%09%7F")]
    [InlineData("back\\slash", "back%5Cslash")]
    [InlineData("@a,b;c=d&e$(!*)|", "%40a%2Cb%3Bc%3Dd%26e%24%28%21%2A%29%7C")]
    [InlineData("..a/...", "..a/...")]
    [InlineData("a-b._~", "a-b._~")]
    public void Names_below_a_URI_are_percent_encoded(string name, string expected)
    {
        var file = Folders(HandoverFolder.ByUri(At("files"), "/_f/")).Find(At($"files/{name}"), out _);
        Assert.Equal(new HandedOverFile("X-Accel-Redirect", $"/_f/{expected}"), file);
    }

    [Theory]
    [InlineData("a b", true)]
    [InlineData("what?#+", true)]
    [InlineData("it's \"q\"", true)]
    [InlineData("é日😀", true)]
    [InlineData("100%", false)]
    [InlineData("%41", false)]
    [InlineData("a\r\nX: y", false)]
    [InlineData("tab\t", false)]
    [InlineData("a\u007f", false)]
    [InlineData("a\u0085", false)]
    [InlineData("end ", false)]
    public void Full_paths_are_given_as_they_are_where_decoding_changes_nothing(string name, bool isNamed)
    {
        var file = Folders(HandoverFolder.ByPath(At("files"))).Find(At($"files/{name}"), out var obstacle);
        Assert.Equal(isNamed, obstacle is null);
        Assert.Equal(isNamed ? new HandedOverFile("X-Sendfile", At($"files/{name}")) : null, file);
    }

    [Fact]
    public void The_prefix_is_percent_encoded_too()
    {
        var folders = Folders(HandoverFolder.ByUri(At("my files"), "/my files"));
        Assert.Equal("/my%20files/a", folders.Find(At("my files/a"), out _)?.HeaderValue);
    }

    [Fact]
    public void The_longest_folder_counts_in_whatever_order_they_were_given()
    {
        HandoverFolder[] folders = [HandoverFolder.ByUri(At("files"), "/_f/"), HandoverFolder.ByPath(At("files/sub"))];
        foreach (var order in (HandoverFolder[][])[folders, [.. folders.Reverse()]])
        {
            Assert.Equal(At("files/sub/b"), Folders(order).Find(At("files/sub/b"), out _)?.HeaderValue);
            Assert.Equal("/_f/a", Folders(order).Find(At("files/a"), out _)?.HeaderValue);
        }
    }

    [Fact]
    public void The_root_holds_every_file() =>
        Assert.Equal("/etc/x", Folders(HandoverFolder.ByPath("/")).Find("/etc/x", out _)?.HeaderValue);

    [Fact]
    public void A_link_to_a_file_that_leads_out_is_not_handed_over()
    {
        File.CreateSymbolicLink(At("files/out"), At("elsewhere/c"));
        var folders = Folders(HandoverFolder.ByUri(At("files"), "/_f/"));
        Assert.Null(folders.Find(At("files/out"), out var obstacle));
        Assert.Contains("link", obstacle, StringComparison.Ordinal);
    }

    /// <summary>Each link with its target. files/deep/.. is the parent of where it leads, elsewhere, not files.</summary>
    [Theory]
    [InlineData("files/in", "/_f/sub/b", "files/in sub/b")]
    [InlineData("files/in", "/_f/sub/b", "files/in ./sub/../sub/b")]
    [InlineData("files/in", "/_f/sub/b", "files/in chain", "files/chain sub/b")]
    [InlineData("files/sub/out/c", null, "files/sub/out ../../elsewhere")]
    [InlineData("files/in", null, "files/deep ../elsewhere/nested", "files/in deep/../c")]
    [InlineData("files/one", null, "files/one two", "files/two one")]
    public void A_link_names_the_file_itself_if_it_stays_inside(string path, string? found, params string[] links)
    {
        Directory.CreateDirectory(At("elsewhere/nested"));
        foreach (var link in links.Select(static link => link.Split(' ')))
        {
            File.CreateSymbolicLink(At(link[0]), link[1]);
        }

        Assert.Equal(found, Find(At(path)));
    }

    [Fact]
    public void A_link_into_another_of_the_folders_names_the_file_there()
    {
        File.CreateSymbolicLink(At("files/out"), At("elsewhere/c"));
        var folders = Folders(HandoverFolder.ByUri(At("files"), "/_f/"), HandoverFolder.ByUri(At("elsewhere"), "/_e/"));
        Assert.Equal("/_e/c", folders.Find(At("files/out"), out _)?.HeaderValue);
    }

    [Fact]
    public void A_folder_that_is_a_link_itself_is_followed_to_wherever_it_leads_now()
    {
        Directory.CreateSymbolicLink(At("current"), At("files"));
        File.CreateSymbolicLink(At("files/in"), "a");
        var folders = Folders(HandoverFolder.ByUri(At("current"), "/_f/"));
        Assert.Equal("/_f/a", folders.Find(At("current/a"), out _)?.HeaderValue);
        Assert.Equal("/_f/a", folders.Find(At("current/in"), out _)?.HeaderValue);

        Directory.Delete(At("current"));
        Directory.CreateSymbolicLink(At("current"), At("elsewhere"));
        File.CreateSymbolicLink(At("elsewhere/in"), "c");
        Assert.Equal("/_f/c", folders.Find(At("current/in"), out _)?.HeaderValue);
    }

    [Fact]
    public void A_folder_need_not_exist_yet()
    {
        var folders = Folders(HandoverFolder.ByUri(At("later"), "/_f/"));
        Assert.Null(folders.Find(At("files/a"), out _));

        Directory.CreateDirectory(At("later"));
        Assert.Equal("/_f/a", folders.Find(At("later/a"), out _)?.HeaderValue);
    }

    private string? Find(string path) =>
        Folders(HandoverFolder.ByUri(At("files"), "/_f/")).Find(path, out _)?.HeaderValue;

    private static HandoverFolders Folders(params HandoverFolder[] folders) => new(folders, []);

    private string At(string path) => $"{_directory.FullName}/{path}";
}
