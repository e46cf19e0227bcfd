namespace FastCgi.AspNetCore.Tests.Features;

/// <summary>The request's head.</summary>
public sealed class RequestFeatureTests
{
    private readonly FeaturesFixture _fixture = new();

    public static TheoryData<string> SettableText => new(
        "Protocol", "Scheme", "Method", "PathBase", "Path", "QueryString", "RawTarget");

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

    [Theory]
    [MemberData(nameof(SettableText))]
    public void A_part_can_be_set_also_to_null_and_for_this_request_only(string name)
    {
        var property = typeof(IHttpRequestFeature).GetProperty(name, BindingFlags.Public | BindingFlags.Instance)!;
        var original = property.GetValue(Request);

        property.SetValue(Request, "set");
        Assert.Equal("set", property.GetValue(Request));
        property.SetValue(Request, null);
        Assert.Null(property.GetValue(Request));

        _fixture.End();
        _fixture.Begin();
        Assert.Equal(original, property.GetValue(Request));
    }

    [Fact]
    public void Setting_one_part_leaves_the_others()
    {
        Request.Path = "/other";

        Assert.Equal("POST", Request.Method);
        Assert.Equal("/caf%C3%A9/a%2Fb?x=1", Request.RawTarget);
    }

    [Fact]
    public void The_headers_can_be_replaced_for_this_request_only()
    {
        var headers = new HeaderDictionary();
        Request.Headers = headers;
        Assert.Same(headers, Request.Headers);

        _fixture.End();
        _fixture.Begin();
        Assert.Equal("blue", Request.Headers["X-Tag"]);
    }
}
