namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>The params as server variables and as bytes, and what else FastCGI knows.</summary>
public sealed class ServerVariableTests
{
    private readonly FeaturesFixture _fixture = new(("MY_PARAM", "caf\u00e9"), ("EMPTY", ""), ("REMOTE_USER", "ann"), ("HTTPS", "on"),
        ("DOCUMENT_URI", "/a"), ("HTTP_X_FORWARDED_FOR", "x"), ("REDIRECT_HTTP_X_REAL_IP", "x"));

    private IServerVariablesFeature Variables => _fixture.Get<IServerVariablesFeature>();

    private IFastCgiRequestFeature FastCgi => _fixture.Get<IFastCgiRequestFeature>();

    [Theory]
    [InlineData("REMOTE_USER", "ann")]
    [InlineData("MY_PARAM", "caf\u00e9")]
    [InlineData("my_param", "caf\u00e9")]
    [InlineData("EMPTY", null)]
    [InlineData("UNDEFINED", null)]
    public void A_param_of_the_web_server_is_a_server_variable(string name, string? expected)
    {
        Assert.Equal(expected, Variables[name]);
        Assert.Equal(expected, new DefaultHttpContext(_fixture.Collection).GetServerVariable(name));
    }

    public static TheoryData<string> WithValuesOfTheFramework =>
    [
        "REQUEST_METHOD", "REQUEST_URI", "request_uri", "DOCUMENT_URI", "HTTPS", "REMOTE_ADDR", "SERVER_PORT",
        "CONTENT_LENGTH", "HTTP_HOST", "HTTP_X_TAG", "http_x_tag", "HTTP_X_FORWARDED_FOR", "REDIRECT_HTTP_X_REAL_IP",
    ];

    /// <summary>Else a rewrite rule would read the raw param where it reads the decoded path on Kestrel.</summary>
    [Theory, MemberData(nameof(WithValuesOfTheFramework))]
    public void A_param_with_a_value_of_ASP_NET_Core_itself_is_no_server_variable(string name)
    {
        Assert.Null(Variables[name]);
        Assert.True(FastCgi.TryGetParameter(name.ToUpperInvariant(), out _));
        Variables[name] = "mine";
        Assert.Equal("mine", Variables[name]);
    }

    [Fact]
    public void A_variable_can_be_set_also_to_null_and_for_this_request_only()
    {
        Variables["MY_PARAM"] = "mine";
        Variables["NEW"] = "new";
        Assert.Equal("mine", Variables["MY_PARAM"]);
        Assert.Equal("new", Variables["NEW"]);
        Variables["my_param"] = null;
        Assert.Null(Variables["MY_PARAM"]);

        _fixture.BeginNext(("MY_PARAM", "again"));
        Assert.Equal("again", Variables["MY_PARAM"]);
        Assert.Null(Variables["NEW"]);
    }

    [Fact]
    public void A_variable_without_a_name_is_refused()
    {
        Assert.Throws<ArgumentException>(() => Variables[""]);
        Assert.Throws<ArgumentException>(() => Variables[""] = "x");
        Assert.Throws<ArgumentNullException>(() => Variables[null!]);
    }

    [Fact]
    public void Every_param_can_be_read_as_bytes_in_the_order_of_arrival()
    {
        var names = new List<string>();
        for (var index = 0; index < FastCgi.ParameterCount; index++)
        {
            names.Add(Encoding.UTF8.GetString(FastCgi.GetParameterName(index)));
        }

        Assert.Equal(["REQUEST_METHOD", "REQUEST_URI"], names[..2]);
        var own = names.IndexOf("MY_PARAM");
        Assert.Equal("EMPTY", names[own + 1]);
        Assert.Equal("caf\u00e9"u8, FastCgi.GetParameterValue(own));
        Assert.Equal(""u8, FastCgi.GetParameterValue(own + 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => { FastCgi.GetParameterName(names.Count); });
        Assert.Throws<ArgumentOutOfRangeException>(() => { FastCgi.GetParameterValue(-1); });
    }

    [Fact]
    public void A_param_can_be_found_by_its_name()
    {
        Assert.True(FastCgi.TryGetParameter("MY_PARAM", out var value));
        Assert.Equal("caf\u00e9"u8, value);
        Assert.True(FastCgi.TryGetParameter("my_param", out value));
        Assert.Equal("caf\u00e9"u8, value);
        Assert.False(FastCgi.TryGetParameter("EMPTY", out _));
        Assert.False(FastCgi.TryGetParameter("UNDEFINED", out _));
        Assert.Throws<ArgumentException>(() => FastCgi.TryGetParameter("", out _));
    }
}
