namespace FastCgi.AspNetCore.Tests.Cgi;

/// <summary>A path that is written into a URI and decoded there is the same again.</summary>
public class PathEncoderTests
{
    [Theory]
    [InlineData("/a b", "/a%20b")]
    [InlineData("/a%41", "/a%2541")]
    [InlineData("/a%2541", "/a%252541")]
    [InlineData("/100%", "/100%25")]
    [InlineData("/a%00", "/a%2500")]
    [InlineData("/a%2Fb%2fc", "/a%2Fb%2fc")]
    [InlineData("/a%252F", "/a%25252F")]
    [InlineData("/\u00E4?b", "/%C3%A4%3Fb")]
    [InlineData("/", "/")]
    [InlineData("", "")]
    public void Each_path_is_itself_behind_the_decoder(string path, string expected)
    {
        var encoded = PathEncoder.Encode(new PathString(path));
        var bytes = Encoding.ASCII.GetBytes(encoded);

        Assert.Equal(expected, encoded);
        Assert.Equal(path, Encoding.UTF8.GetString(bytes, 0, PathDecoder.DecodeInPlace(bytes)));
    }
}
