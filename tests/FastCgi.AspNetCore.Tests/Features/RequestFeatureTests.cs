namespace FastCgi.AspNetCore.Tests.Features;

/// <summary>The request's head.</summary>
public sealed class RequestFeatureTests
{
    private readonly FeaturesFixture _fixture = new();

    private IHttpRequestFeature Request => _fixture.Get<IHttpRequestFeature>();

    [Fact]
    public void The_head_is_what_the_params_say()
    {
        Assert.Equal("POST", Request.Method);
        Assert.Equal("HTTP/2", Request.Protocol);
        Assert.Equal("http", Request.Scheme);
        Assert.Equal("", Request.PathBase);
        Assert.Equal("/café/a%2Fb", Request.Path);
        Assert.Equal("?x=1", Request.QueryString);
        Assert.Equal("/caf%C3%A9/a%2Fb?x=1", Request.RawTarget);
        Assert.Equal("blue", Request.Headers["X-Tag"]);
    }

    [Fact]
    public void Setting_one_part_leaves_the_others()
    {
        Request.Path = "/other";

        Assert.Equal("POST", Request.Method);
        Assert.Equal("/caf%C3%A9/a%2Fb?x=1", Request.RawTarget);
    }
}
