using System.IO.Compression;
using Microsoft.AspNetCore.Mvc;

namespace FastCgi.WebServerTests.Files;

/// <summary>Files that the web server sends in the application's place: what the client gets.</summary>
public abstract class FileTests(SharedSite shared) : IClassFixture<SharedSite>
{
    private const int Length = 300_000;

    private static int s_tests;

    private static readonly byte[] _content = [.. new TestBytes(Length).Pieces().SelectMany(static piece => piece.ToArray())];

    /// <summary>Its own of each test, since web servers remember what they saw of a file.</summary>
    private readonly string _file = $"{Interlocked.Increment(ref s_tests)}.bin";

    private int _handedOverBefore;

    /// <summary>The file is {0} there, and its path {1}.</summary>
    public static TheoryData<string> Senders =>
        ["static/{0}", "result?name={0}", "download?name={0}", "plain?name={0}", "mvc?path={1}"];

    public static TheoryData<string> RangeSenders =>
        ["static/{0}", "result?name={0}", "plain?name={0}", "mvc?path={1}"];

    [Theory, MemberData(nameof(Senders))]
    public async Task The_web_server_sends_the_file(string sender)
    {
        var site = await StartWithFileAsync();
        using var response = await site.GetAsync(Target(site, sender));

        Assert.Equal((HttpStatusCode.OK, Length), (response.StatusCode, response.Content.Headers.ContentLength));
        Assert.Equal(_content, await response.Content.ReadAsByteArrayAsync());
        Assert.Equal(1, CountHandedOver(site));
        Assert.False(response.Headers.Contains("X-Accel-Redirect") || response.Headers.Contains("X-Sendfile"));
        Assert.True(response.Headers.AcceptRanges.Count <= 1);
        Assert.NotNull(response.Content.Headers.LastModified);
        Assert.Equal(
            sender.StartsWith("static", StringComparison.Ordinal) ? "application/octet-stream" : "text/x-test",
            response.Content.Headers.ContentType?.ToString());
    }

    [Theory]
    [InlineData("static/{0}")]
    [InlineData("result?name={0}")]
    public async Task Headers_of_the_application_survive(string sender)
    {
        var site = await StartWithFileAsync();
        using var response = await site.GetAsync(Target(site, sender));

        Assert.Equal(1, CountHandedOver(site));
        Assert.Equal("max-age=60, private", response.Headers.CacheControl?.ToString());
        Assert.Equal("inline; filename=\"x\"", response.Content.Headers.ContentDisposition?.ToString());
        Assert.Equal(["a=1", "b=2"], response.Headers.GetValues("Set-Cookie"));
        Assert.Equal(["Cookie"], response.Headers.Vary);
        Assert.Equal(["nosniff"], response.Headers.GetValues("X-Content-Type-Options"));
    }

    [Theory]
    [InlineData("a b.bin")]
    [InlineData("100%.bin")]
    [InlineData("%41.bin")]
    [InlineData("what?.bin")]
    [InlineData("c#.bin")]
    [InlineData("a+b.bin")]
    [InlineData("it's \"q\".bin")]
    [InlineData("é-日本-😀.bin")]
    [InlineData("tab\tline\r\nX-Evil: 1.bin")]
    [InlineData("back\\slash.bin")]
    [InlineData("@a,b;c=d&e$(!*)|[]{}<>^`~.bin")]
    [InlineData("..a...bin")]
    [InlineData(".hidden")]
    public async Task A_name_reaches_the_web_server_as_it_is(string name)
    {
        var site = await StartAsync();
        var content = Encoding.UTF8.GetBytes(name);
        site.Write(name, content);
        site.Write("A.bin", [0]);

        // In hexadecimal, since lighttpd refuses targets with control characters.
        Assert.Equal(content, await site.Client.GetByteArrayAsync($"named?hex={Convert.ToHexString(content)}"));
        Assert.Equal(CanName(name) ? 1 : 0, CountHandedOver(site));
    }

    [Theory, MemberData(nameof(RangeSenders))]
    public async Task A_range_is_that_range(string sender)
    {
        var site = await StartWithFileAsync();
        (string Range, Range Expected)[] cases =
        [
            ("bytes=0-0", 0..1), ("bytes=10-19", 10..20), ("bytes=-500", ^500..), ("bytes=290000-", 290_000..),
            ("bytes=290000-999999", 290_000..), ($"bytes=-{Length * 2}", ..),
        ];
        foreach (var (range, expected) in cases)
        {
            using var response = await site.GetAsync(Target(site, sender), ("Range", range));
            var (offset, count) = expected.GetOffsetAndLength(Length);
            if (count < Length || response.StatusCode != HttpStatusCode.OK)
            {
                Assert.Equal(HttpStatusCode.PartialContent, response.StatusCode);
                Assert.Equal(
                    $"bytes {offset}-{offset + count - 1}/{Length}", response.Content.Headers.ContentRange?.ToString());
            }

            Assert.Equal(_content[expected], await response.Content.ReadAsByteArrayAsync());
            Assert.Equal(count, response.Content.Headers.ContentLength);
        }

        Assert.Equal(cases.Length, CountHandedOver(site));
    }

    [Theory, MemberData(nameof(RangeSenders))]
    public async Task Several_ranges_are_an_answer_in_parts(string sender)
    {
        var site = await StartWithFileAsync();
        using var response = await site.GetAsync(Target(site, sender), ("Range", "bytes=0-9,100-109"));

        Assert.Equal(HttpStatusCode.PartialContent, response.StatusCode);
        Assert.Equal("multipart/byteranges", response.Content.Headers.ContentType?.MediaType);
        var body = Encoding.Latin1.GetString(await response.Content.ReadAsByteArrayAsync());
        Assert.Contains($"bytes 0-9/{Length}", body, StringComparison.Ordinal);
        Assert.Contains(Encoding.Latin1.GetString(_content, 0, 10), body, StringComparison.Ordinal);
        Assert.Contains($"bytes 100-109/{Length}", body, StringComparison.Ordinal);
        Assert.Contains(Encoding.Latin1.GetString(_content, 100, 10), body, StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(RangeSenders))]
    public async Task A_range_behind_the_end_is_a_416(string sender)
    {
        var site = await StartWithFileAsync();
        using var response = await site.GetAsync(Target(site, sender), ("Range", $"bytes={Length}-"));

        Assert.Equal(HttpStatusCode.RequestedRangeNotSatisfiable, response.StatusCode);
        if (response.Content.Headers.ContentRange is { } range)
        {
            Assert.Equal($"bytes */{Length}", range.ToString());
        }
    }

    [Theory, MemberData(nameof(RangeSenders))]
    public async Task If_Range_holds_for_the_validators_that_the_client_saw(string sender)
    {
        var site = await StartWithFileAsync();
        var target = Target(site, sender);
        using var seen = await site.GetAsync(target);
        foreach (var (_, validator) in Conditions(seen))
        {
            using var part = await site.GetAsync(target, ("Range", "bytes=5-9"), ("If-Range", validator));
            Assert.Equal(HttpStatusCode.PartialContent, part.StatusCode);
            Assert.Equal(_content[5..10], await part.Content.ReadAsByteArrayAsync());
        }

        foreach (var validator in (string[])["\"other\"", "Sat, 01 Jan 2000 00:00:00 GMT"])
        {
            using var whole = await site.GetAsync(target, ("Range", "bytes=5-9"), ("If-Range", validator));
            Assert.Equal(HttpStatusCode.OK, whole.StatusCode);
            Assert.Equal(_content, await whole.Content.ReadAsByteArrayAsync());
        }
    }

    [Theory, MemberData(nameof(RangeSenders))]
    public async Task The_second_round_is_a_304_until_the_file_changes(string sender)
    {
        var site = await StartWithFileAsync();
        var target = Target(site, sender);
        using var seen = await site.GetAsync(target);
        var all = Conditions(seen);
        (string, string)[][] rounds = [all, .. all.Select(static condition => ((string, string)[])[condition])];
        foreach (var conditions in rounds)
        {
            using var same = await site.GetAsync(target, conditions);
            Assert.Equal(HttpStatusCode.NotModified, same.StatusCode);
        }

        byte[] changed = [.. _content, 1];
        site.Write(_file, changed);
        SetTime(site, 2022);
        foreach (var conditions in rounds)
        {
            using var other = await site.GetAsync(target, conditions);
            Assert.Equal(HttpStatusCode.OK, other.StatusCode);
            Assert.Equal(changed, await other.Content.ReadAsByteArrayAsync());
        }
    }

    [Theory]
    [InlineData("/static/{0}", 0)]
    [InlineData("/plain?name={0}", 1)]
    public async Task HEAD_has_the_length_and_no_body(string target, int handedOver)
    {
        var site = await StartWithFileAsync();
        var response = await site.SendAsync($"HEAD {Target(site, target)} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");

        Assert.Equal((200, Length, 0), (response.Status, response.Head.ContentLength, response.Body.Length));
        Assert.Equal(handedOver, CountHandedOver(site));
    }

    [Fact]
    public async Task What_the_web_server_cannot_make_right_the_application_sends()
    {
        var site = await StartWithFileAsync();
        File.CreateSymbolicLink(site.PathOf("out"), site.Write("../elsewhere/c", [1, 2, 3]));
        site.Write("empty", []);
        site.Write("z.gz", [31, 139]);

        foreach (var name in (string[])["out", "../elsewhere/c"])
        {
            var body = await site.Client.GetByteArrayAsync($"plain?name={name}");
            Assert.Equal([1, 2, 3], body);
        }

        Assert.Empty(await site.Client.GetByteArrayAsync("plain?name=empty"));
        Assert.Equal(_content[10..30], await site.Client.GetByteArrayAsync($"part?name={_file}"));

        using var encoded = await site.GetAsync("encoded?name=z.gz");
        Assert.Equal(["gzip"], encoded.Content.Headers.ContentEncoding);
        Assert.Equal([31, 139], await encoded.Content.ReadAsByteArrayAsync());

        using var posted = await site.Client.PostAsync($"plain?name={_file}", new ByteArrayContent([1]));
        Assert.Equal(_content, await posted.Content.ReadAsByteArrayAsync());
        Assert.Equal(0, CountHandedOver(site));
    }

    [Fact]
    public async Task A_link_inside_the_folder_is_sent_by_the_web_server()
    {
        var site = await StartWithFileAsync();
        File.CreateSymbolicLink(site.PathOf("link"), _file);

        Assert.Equal(_content, await site.Client.GetByteArrayAsync("plain?name=link"));
        Assert.Equal(1, CountHandedOver(site));
    }

    [Fact]
    public async Task Compression_in_the_application_reads_the_file_that_it_wants()
    {
        var site = await StartWithFileAsync();
        using var response = await site.GetAsync($"compressed?name={_file}", ("Accept-Encoding", "gzip"));

        Assert.Equal(["gzip"], response.Content.Headers.ContentEncoding);
        await using var body = new GZipStream(await response.Content.ReadAsStreamAsync(), CompressionMode.Decompress);
        using var plain = new MemoryStream();
        await body.CopyToAsync(plain).Within("the body");
        Assert.Equal(_content, plain.ToArray());
        Assert.Equal(0, CountHandedOver(site));

        Assert.Equal(_content, await site.Client.GetByteArrayAsync($"compressed?name={_file}"));
        Assert.Equal(1, CountHandedOver(site));
    }

    [Fact]
    public async Task A_file_that_is_not_there_is_the_applications_404()
    {
        var site = await StartAsync();
        using var response = await site.GetAsync("static/none");
        Assert.Equal((HttpStatusCode.NotFound, 0), (response.StatusCode, CountHandedOver(site)));
    }

    /// <summary>The web server with the documented lines, and the application.</summary>
    private protected abstract Task<Site> StartSiteAsync();

    /// <summary>Any other file the application has to send.</summary>
    private protected abstract bool CanName(string name);

    /// <summary>The site that the tests of the class share.</summary>
    private protected async Task<Site> StartAsync()
    {
        var site = await shared.StartedAsync(StartSiteAsync);
        _handedOverBefore = site.CountHandedOver();
        return site;
    }

    /// <summary>The same, with a file of the test.</summary>
    private protected async Task<Site> StartWithFileAsync()
    {
        var site = await StartAsync();
        site.Write(_file, _content);
        SetTime(site, 2021);
        return site;
    }

    /// <summary>What a client that has the file asks with later: by its ETag, where it has one, and by its time.</summary>
    private static (string Name, string Value)[] Conditions(HttpResponseMessage seen)
    {
        (string, string) date = ("If-Modified-Since", $"{seen.Content.Headers.LastModified:R}");
        return seen.Headers.ETag is { } etag ? [("If-None-Match", $"{etag}"), date] : [date];
    }

    /// <summary>Long ago: a file that has just changed has no strong validators, and If-Range needs one.</summary>
    private void SetTime(Site site, int year) =>
        File.SetLastWriteTimeUtc(site.PathOf(_file), new DateTime(year, 1, 2, 3, 4, 5, DateTimeKind.Utc));

    private string Target(Site site, string sender) =>
        string.Format(CultureInfo.InvariantCulture, sender, _file, site.PathOf(_file));

    /// <summary>How many files the web server was told of since the test began.</summary>
    private int CountHandedOver(Site site) => site.CountHandedOver() - _handedOverBefore;
}

/// <summary>mod_proxy_fcgi with mod_xsendfile.</summary>
public sealed class ApacheFileTests(SharedSite shared) : FileTests(shared)
{
    private protected override Task<Site> StartSiteAsync() => FileSite.StartAsync(
        (app, folder) => WebServerProgram.Apache("authz_core", "env", "proxy", "proxy_fcgi", "xsendfile").StartAsync($"""
            SetEnv ap_trust_cgilike_cl 1
            ProxyPass "/" "unix:{app.SocketPath}|fcgi://app/" enablereuse=on
            {FileSite.Documented("apache", "XSendFile").With("/srv/app/files", folder)}
            """),
        FileSite.SendByXSendfile);

    private protected override bool CanName(string name) =>
        !name.Contains('%', StringComparison.Ordinal) && !name.Any(char.IsControl);
}

public sealed class LighttpdFileTests(SharedSite shared) : FileTests(shared)
{
    private protected override Task<Site> StartSiteAsync() => FileSite.StartAsync(
        (app, folder) => WebServerProgram.Lighttpd.StartAsync(FileSite.Documented("lighttpd", "x-sendfile")
            .With("/run/app/app.sock", app.SocketPath)
            .With("/srv/app/files", folder)),
        FileSite.SendByXSendfile);

    private protected override bool CanName(string name) =>
        !name.Contains('%', StringComparison.Ordinal) && !name.Any(char.IsControl);
}

/// <summary>Files as MVC sends them.</summary>
public sealed class FilesController : ControllerBase
{
    [HttpGet("/mvc")]
    public IActionResult Get(string path) => PhysicalFile(path, "text/x-test", enableRangeProcessing: true);
}
