using FastCgi.AspNetCore.Authentication;

namespace FastCgi.AspNetCore.Tests.Authentication;

public class VouchedUserTests
{
    private readonly FastCgiUserOptions _options = new() { UserParameter = "REMOTE_USER" };

    [Theory]
    [InlineData("ann")]
    [InlineData("Zo\u00EB")]
    [InlineData("CN=ann, O=example")]
    [InlineData("EXAMPLE\\ann")]
    public void A_name_beside_an_AUTH_TYPE_is_the_user(string name) =>
        Assert.Equal(
            new VouchedUser(name, "Basic", UserRefusal.None), Read(("REMOTE_USER", name), ("AUTH_TYPE", "Basic")));

    [Theory]
    [InlineData("")]
    [InlineData("-")]
    public void An_empty_name_or_a_hyphen_is_nobody(string name) =>
        Assert.Equal(default, Read(("REMOTE_USER", name), ("AUTH_TYPE", "Basic")));

    [Fact]
    public void Without_the_param_there_is_nobody_whatever_the_headers_say() => Assert.Equal(
        default,
        Read(
            ("AUTH_TYPE", "Basic"), ("HTTP_REMOTE_USER", "evil"), ("HTTP_AUTHORIZATION", "Basic ZXZpbDp4"),
            ("REDIRECT_REMOTE_USER", "evil"), ("HTTP_X_REMOTE_USER", "evil")));

    [Theory]
    [InlineData("")]
    [InlineData("-")]
    [InlineData(null)]
    public void Without_AUTH_TYPE_a_name_does_not_count(string? authType)
    {
        (string, string)[] more = authType is null ? [] : [("AUTH_TYPE", authType)];

        Assert.Equal(UserRefusal.AuthTypeMissing, Read([("REMOTE_USER", "ann"), .. more]).Refusal);
    }

    [Fact]
    public void A_param_of_ones_own_may_come_without_AUTH_TYPE()
    {
        _options.UserParameter = "MEMBER";
        _options.RequireAuthType = false;

        Assert.Equal(
            new VouchedUser("ann", null, UserRefusal.None), Read(("MEMBER", "ann"), ("REMOTE_USER", "evil")));
    }

    [Theory]
    [InlineData("Basic", UserRefusal.None)]
    [InlineData("basic", UserRefusal.None)]
    [InlineData("Digest", UserRefusal.AuthTypeUnlisted)]
    [InlineData("Basic ", UserRefusal.AuthTypeUnlisted)]
    [InlineData("", UserRefusal.AuthTypeMissing)]
    internal void Only_a_listed_AUTH_TYPE_counts(string authType, UserRefusal expected)
    {
        _options.AuthTypes.Add("Basic");

        Assert.Equal(expected, Read(("REMOTE_USER", "ann"), ("AUTH_TYPE", authType)).Refusal);
    }

    [Fact]
    public void A_list_wants_AUTH_TYPE_even_where_it_need_not_be_there()
    {
        _options.UserParameter = "MEMBER";
        _options.RequireAuthType = false;
        _options.AuthTypes.Add("Basic");

        Assert.Equal(UserRefusal.AuthTypeUnlisted, Read(("MEMBER", "ann")).Refusal);
    }

    [Theory]
    [InlineData("HAProxy 2.6.12")]
    [InlineData("haproxy")]
    public void HAProxy_s_REMOTE_USER_is_nobody_s_word(string software)
    {
        (string, string)[] sent =
            [("SERVER_SOFTWARE", software), ("REMOTE_USER", "evil"), ("AUTH_TYPE", "Basic"), ("MEMBER", "ann")];

        Assert.Equal(UserRefusal.Unverified, Read(sent).Refusal);
        _options.UserParameter = "remote_user";
        Assert.Equal(UserRefusal.Unverified, Read(sent).Refusal);
        _options.UserParameter = "MEMBER";
        Assert.Equal("ann", Read(sent).Name);
    }

    [Theory]
    [InlineData("a\nb")]
    [InlineData("\0")]
    [InlineData("ann\u007F")]
    public void A_name_with_control_characters_is_none(string name) =>
        Assert.Equal(UserRefusal.NotText, Read(("REMOTE_USER", name), ("AUTH_TYPE", "Basic")).Refusal);

    private VouchedUser Read(params (string, string)[] more) =>
        VouchedUser.Read(new FeaturesFixture(more).Get<IFastCgiRequestFeature>(), _options);
}
