namespace FastCgi.AspNetCore.Tests.Cgi;

public class HeaderAliasTests
{
    [Theory]
    [InlineData("HTTP_X_REAL_IP", 0)]
    [InlineData("HTTP_REMOTE_USER", 0)]
    [InlineData("HTTP_X_REAL_IP", 80)]
    [InlineData("HTTP_REMOTE_USER", 80)]
    public void A_header_that_lighttpd_sends_twice_is_refused_and_by_others_is_two_lines(string param, int others)
    {
        (string, string)[] twice =
            [(param, "a"), .. Enumerable.Range(0, others).Select(i => ($"HTTP_Y_{i}", "y")), (param, "b")];

        var rejection = ParamSet.Rejection([("SERVER_SOFTWARE", "lighttpd/1.4.69"), .. twice]);
        Assert.Equal(400, rejection?.StatusCode);
        Assert.Null(ParamSet.Rejection([("SERVER_SOFTWARE", "nginx/1.22.1"), .. twice]));
        Assert.Null(ParamSet.Rejection([("SERVER_SOFTWARE", "lighttpd/1.4.69"), .. twice[1..]]));
    }

    [Fact]
    public void Other_params_may_come_twice_from_lighttpd() => Assert.Null(ParamSet.Rejection(
        ("SERVER_SOFTWARE", "lighttpd/1.4.69"), ("REMOTE_ADDR", "::1"), ("REMOTE_ADDR", "::1"), ("X_A", "1"), ("X_A", "2")));

    [Fact]
    public void A_dot_tells_two_headers_apart_where_the_web_server_keeps_it()
    {
        var headers = ParamSet.With(("HTTP_REMOTE_USER", "ann"), ("HTTP_REMOTE.USER", "eve")).Headers;

        Assert.Equal(("ann", "eve"), ((string?)headers["Remote-User"], (string?)headers["Remote.User"]));
        Assert.Equal(2, headers.Count);
        Assert.Equal(("ann", "eve"), ((string?)headers["Remote-User"], (string?)headers["Remote.User"]));
    }
}
