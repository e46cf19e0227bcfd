namespace FastCgi.AspNetCore.Tests.Hosting;

public class FileHandoverOptionsTests
{
    private readonly FastCgiFileHandoverOptions _handover = new();

    [Theory]
    [InlineData("/_files/", true)]
    [InlineData("/_files", true)]
    [InlineData("/a/b/", true)]
    [InlineData("_files/", false)]
    [InlineData("/", false)]
    [InlineData("//", false)]
    [InlineData("//a/", false)]
    [InlineData("/a/../b/", false)]
    [InlineData("/./", false)]
    [InlineData("", false)]
    public void The_prefix_is_that_of_a_location(string prefix, bool isGood)
    {
        var exception = Record.Exception(() => _handover.AddXAccelRedirect("/srv/files", prefix));
        Assert.Equal(isGood, exception is null);
        Assert.True(isGood || exception is ArgumentException { ParamName: "uriPrefix" });
    }

    [Theory]
    [InlineData("files")]
    [InlineData("./files")]
    [InlineData("")]
    public void A_directory_that_is_not_absolute_is_refused(string directory)
    {
        Assert.Throws<ArgumentException>(nameof(directory), () => _handover.AddXSendfile(directory));
        Assert.Throws<ArgumentException>(nameof(directory), () => _handover.AddXAccelRedirect(directory, "/_files/"));
    }

    [Fact]
    public void A_second_call_for_a_directory_takes_the_place_of_the_first()
    {
        _handover.AddXSendfile("/srv/files");
        _handover.AddXAccelRedirect("/srv/other/../files/", "/_f/");
        Assert.Equal("/_f/a", Find("/srv/files/a"));
    }

    [Fact]
    public void Relayed_headers_are_compared_in_any_case()
    {
        _handover.RelayedHeaders.Add("Vary");
        _handover.AddXAccelRedirect("/srv/files", "/_f/");

        Assert.Contains("vary", _handover.RelayedHeaders);
        Assert.Contains("VARY", _handover.Folders!.RelayedHeaders);
    }

    [Fact]
    public void By_default_and_behind_Clear_there_are_no_directories_and_no_relayed_headers()
    {
        Assert.Null(_handover.Folders);
        Assert.Empty(_handover.RelayedHeaders);
        _handover.AddXAccelRedirect("/srv/files", "/_f/");
        _handover.RelayedHeaders.Add("Vary");

        _handover.Clear();

        Assert.Null(_handover.Folders);
        Assert.Empty(_handover.RelayedHeaders);
    }

    [Fact]
    public void What_an_endpoint_has_used_does_not_change()
    {
        _handover.AddXAccelRedirect("/srv/files", "/_f/");
        var used = _handover.Folders;

        _handover.RelayedHeaders.Add("Vary");
        _handover.AddXSendfile("/srv/more");

        Assert.Same(used, _handover.Folders);
        Assert.Empty(used!.RelayedHeaders);
        Assert.Null(used.Find("/srv/more/a", out _));
    }

    [Fact]
    public void Defaults_hold_for_each_endpoint_by_itself()
    {
        var options = new FastCgiServerOptions();
        options.ConfigureEndpointDefaults(static listen => listen.FileHandover.AddXAccelRedirect("/srv/files", "/_f/"));
        options.ListenUnixSocket("/run/a.sock");
        options.ListenUnixSocket("/run/b.sock", static listen => listen.FileHandover.Clear());
        options.ListenUnixSocket("/run/c.sock", static listen => listen.FileHandover.AddXSendfile("/srv/files"));

        Assert.Equal(
            ["/_f/a", null, "/srv/files/a"],
            options.GetEndpoints().Select(static listen =>
                listen.FileHandover.Folders?.Find("/srv/files/a", out _)?.HeaderValue));
    }

    private string? Find(string path) => _handover.Folders!.Find(path, out _)?.HeaderValue;
}
