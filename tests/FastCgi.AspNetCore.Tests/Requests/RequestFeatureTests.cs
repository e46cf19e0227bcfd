namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>The request's head.</summary>
public sealed class RequestFeatureTests
{
    private readonly FeaturesFixture _fixture = new();

    private IHttpRequestFeature Request => _fixture.Get<IHttpRequestFeature>();

    [Fact]
    public void The_head_is_what_the_params_say_and_setting_one_part_leaves_the_others()
    {
        AssertHead("/café/a%2Fb");
        Request.Path = "/other";
        AssertHead("/other");

        void AssertHead(string path)
        {
            Assert.Equal(
                ("POST", "HTTP/2", "http", "", path, "?x=1", "/caf%C3%A9/a%2Fb?x=1"),
                (Request.Method, Request.Protocol, Request.Scheme, Request.PathBase, Request.Path, Request.QueryString,
                    Request.RawTarget));
            Assert.Equal("blue", Request.Headers["X-Tag"]);
        }
    }
}
