namespace FastCgi.AspNetCore.Tests.Cgi;

/// <summary>The cases of ngx_http_parse_complex_uri.</summary>
public class NginxPathTests
{
    [Theory]
    [InlineData("/", "/")]
    [InlineData("/a/b", "/a/b")]
    [InlineData("/a//b///c", "/a/b/c")]
    [InlineData("//", "/")]
    [InlineData("/a%2Fb%2f%2Fc", "/a/b/c")]
    [InlineData("/a/./b/.", "/a/b/")]
    [InlineData("/a/../b", "/b")]
    [InlineData("/a/b/..", "/a/")]
    [InlineData("/a/..", "/")]
    [InlineData("/a/%2e%2E/b", "/b")]
    [InlineData("/a%2F..%2Fb", "/b")]
    [InlineData("/a//../b", "/b")]
    [InlineData("/a../..b/.c/...", "/a../..b/.c/...")]
    [InlineData("/a%20b+c%2Bd", "/a b+c+d")]
    [InlineData("/a%25b%23c%3Fd", "/a%b#c?d")]
    [InlineData("/%25/.%2e%25", "/%/..%")]
    [InlineData("/%E2%82%AC%FF", "/\u00E2\u0082\u00AC\u00FF")]
    [InlineData("/..", null)]
    [InlineData("/a/../..", null)]
    [InlineData("/../a", null)]
    [InlineData("/a%00", null)]
    [InlineData("/a%zz", null)]
    [InlineData("/a%2", null)]
    [InlineData("/%", null)]
    [InlineData("//", "//", false)]
    [InlineData("/a//b///c", "/a//b///c", false)]
    [InlineData("/a%2F/b", "/a//b", false)]
    [InlineData("/a//../b", "/a/b", false)]
    [InlineData("//..", "/", false)]
    public void A_path_becomes_what_nginx_makes_of_it(string path, string? expected, bool mergeSlashes = true)
    {
        var bytes = Encoding.Latin1.GetBytes(path);
        var destination = DirtyMemory.OfLength(bytes.Length);

        var length = NginxPath.Normalise(bytes, destination, mergeSlashes);

        Assert.Equal(expected, length < 0 ? null : Encoding.Latin1.GetString(destination, 0, length));
    }

    [Theory]
    [InlineData("/a%20b", true)]
    [InlineData("/a%2Fb", false)]
    [InlineData("/a%2db", false)]
    [InlineData("/%61", false)]
    [InlineData("/a#b", false)]
    [InlineData("/a/./b", false)]
    [InlineData("/a/..", false)]
    public void A_path_with_one_spelling_escapes_nothing_that_it_need_not(string path, bool expected) =>
        Assert.Equal(expected, NginxPath.HasOneSpelling(Encoding.Latin1.GetBytes(path)));
}
