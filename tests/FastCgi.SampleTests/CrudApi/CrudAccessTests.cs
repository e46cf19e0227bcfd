using System.Net.Http.Headers;
using System.Security.Cryptography;
using CrudApiSample.Catalogues;
using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;
using static System.Net.HttpStatusCode;

namespace FastCgi.SampleTests.CrudApi;

/// <summary>What users with keys and with Bearer tokens may do.</summary>
public sealed class CrudAccessTests : IDisposable
{
    private const string Issuer = "tests";

    private static readonly (string, string)[] _users =
    [
        ("Api:Key", "of all"), ("Api:Tables:*", "All"), ("Api:Tables:tags", "Read"),
        ("Api:Users:ann:Key", "of ann"),
        ("Api:Users:bob:Key", "of bob"), ("Api:Users:bob:Tables:posts", "Read"),
        ("Api:Users:bob:Tables:comments", "Read, Create"), ("Api:Users:bob:Tables:tags", "All"),
    ];

    private readonly WorkDirectory _directory = new();
    private readonly byte[] _secret = RandomNumberGenerator.GetBytes(32);

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Each_key_may_use_the_tables_and_operations_of_its_user()
    {
        await using var application = Start(_users);
        using var nobody = new CrudClient(application.CreateClient());
        (await nobody.GetAsync("/posts/1")).ExpectProblem(Unauthorized, "X-API-Key");
        using var ann = Client(application, "of ann");
        (await ann.PatchAsync("/categories/1", "{\"name\":\"news\"}")).Expect(OK);
        (await ann.PostAsync("/tags", "{\"name\":\"new\"}")).ExpectProblem(MethodNotAllowed, "POST");

        using var bob = Client(application, "of bob");
        (await bob.GetAsync("/posts/1?join=comments")).Expect(OK);
        Assert.Equal("GET, HEAD", (await bob.DeleteAsync("/posts/1")).ExpectProblem(MethodNotAllowed).Allow);
        (await bob.PostAsync("/comments", "{\"post_id\":1,\"message\":\"Hi\"}")).Expect(Created);
        (await bob.PatchAsync("/comments/1", "{\"message\":\"Hi\"}")).ExpectProblem(MethodNotAllowed);
        // The user's tables are no more than the configuration allows everybody.
        (await bob.PostAsync("/tags", "{\"name\":\"new\"}")).ExpectProblem(MethodNotAllowed);
        (await bob.GetAsync("/categories")).ExpectProblem(NotFound, "'categories'");
        (await bob.GetAsync("/posts?join=categories")).ExpectProblem(NotFound, "'categories'");
        (await bob.GetAsync("/posts?filter=categories.name,eq,news")).ExpectProblem(NotFound, "'categories'");

        using var owner = Client(application, "of all");
        (await owner.PatchAsync("/categories/1", "{\"name\":\"all\"}")).Expect(OK);
    }

    [Fact]
    public async Task A_conflict_names_no_table_that_its_user_may_not_use()
    {
        await using var application = Start(
            ("Api:Users:cho:Key", "of cho"), ("Api:Users:cho:Tables:categories", "All"), ("Api:Key", "of all"));
        using var cho = Client(application, "of cho");
        var conflict = (await cho.DeleteAsync("/categories/1")).ExpectProblem(Conflict);
        Assert.DoesNotContain("posts", conflict.Text, StringComparison.Ordinal);
        using var owner = Client(application, "of all");
        (await owner.DeleteAsync("/categories/1")).ExpectProblem(Conflict, "'posts'");
    }

    [Fact]
    public async Task The_description_shows_what_its_reader_may_do_and_records_to_none_but_users()
    {
        await using var application = Start(_users);
        using var bob = Client(application, "of bob");
        var document = (await bob.GetAsync("/openapi.json")).Expect(OK);
        Assert.Equal(
            ["/comments", "/comments/{keys}", "/posts", "/posts/{keys}", "/tags", "/tags/{keys}"],
            document.Json.GetProperty("paths").EnumerateObject().Select(path => path.Name));
        Assert.Contains("The blog has opened.", document.Text, StringComparison.Ordinal);
        Assert.Contains("/posts?search=Hello", document.Text, StringComparison.Ordinal);

        using var nobody = new CrudClient(application.CreateClient());
        document = (await nobody.GetAsync("/openapi.json")).Expect(OK);
        Assert.True(document.Json.GetProperty("paths").TryGetProperty("/categories", out _));
        Assert.DoesNotContain("Hello", document.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("The blog has opened.", document.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_valid_Bearer_token_is_as_good_as_the_key_of_the_user_that_it_names()
    {
        await using var application = Start([.. _users, .. Tokens()]);
        using var bob = Client(application, token: Token("bob"));
        (await bob.GetAsync("/posts/1")).Expect(OK);
        (await bob.GetAsync("/categories")).ExpectProblem(NotFound);
        using var bobsKey = Client(application, "of bob");
        (await bobsKey.GetAsync("/posts/1")).Expect(OK);

        using var stranger = Client(application, token: Token("eve"));
        (await stranger.GetAsync("/posts/1")).ExpectProblem(Forbidden, "'eve'");
        using var nameless = Client(application, token: Token(user: null));
        (await nameless.GetAsync("/posts/1")).ExpectProblem(Forbidden, "''");

        var document = (await bob.GetAsync("/openapi.json")).Expect(OK).Json;
        Assert.Equal(2, document.GetProperty("security").GetArrayLength());
    }

    [Fact]
    public async Task A_token_that_is_not_valid_is_refused()
    {
        await using var application = Start([.. _users, .. Tokens()]);
        var good = Token("bob");
        foreach (var bad in (string[])
            [
                "", "x", good[..^4], good[..(good.LastIndexOf('.') + 1)],
                Token("bob", issuer: "others"), Token("bob", audience: "others"),
                Token("bob", expires: DateTime.UtcNow.AddHours(-1)),
                Token("bob", secret: RandomNumberGenerator.GetBytes(32)),
            ])
        {
            using var client = Client(application, token: bad);
            (await client.GetAsync("/posts/1")).ExpectProblem(Unauthorized, "Bearer");
        }

        using var anonymous = application.CreateClient();
        using var refused = await anonymous.GetAsync(new Uri("/posts/1", UriKind.Relative)).Within("the refusal");
        Assert.Equal("Bearer", Assert.Single(refused.Headers.WwwAuthenticate).Scheme);
    }

    [Fact]
    public async Task Tokens_of_all_others_are_the_asterisk_and_without_users_all_tokens_are_equal()
    {
        await using (var application = Start([.. Tokens(), ("Api:Users:*:Tables:posts", "Read")]))
        {
            using var eve = Client(application, token: Token("eve"));
            (await eve.GetAsync("/posts/1")).Expect(OK);
            (await eve.DeleteAsync("/posts/1")).ExpectProblem(MethodNotAllowed);
            using var key = Client(application, "*");
            (await key.GetAsync("/posts/1")).ExpectProblem(Unauthorized, "Bearer");
        }

        await using var plain = Start(Tokens());
        using var anyone = Client(plain, token: Token("eve"));
        (await anyone.DeleteAsync("/posts/1")).Expect(NoContent);
    }

    private (string, string)[] Tokens() =>
    [
        ("Authentication:Schemes:Bearer:ValidIssuer", Issuer),
        ("Authentication:Schemes:Bearer:ValidAudiences:0", "crud-api"),
        ("Authentication:Schemes:Bearer:SigningKeys:0:Issuer", Issuer),
        ("Authentication:Schemes:Bearer:SigningKeys:0:Value", Convert.ToBase64String(_secret)),
    ];

    private string Token(
        string? user,
        string issuer = Issuer,
        string audience = "crud-api",
        DateTime? expires = null,
        byte[]? secret = null)
    {
        var key = new SymmetricSecurityKey(secret ?? _secret);
        var end = expires ?? DateTime.UtcNow.AddHours(1);
        return new JsonWebTokenHandler().CreateToken(new SecurityTokenDescriptor
        {
            Issuer = issuer,
            Audience = audience,
            IssuedAt = end.AddHours(-2),
            NotBefore = end.AddHours(-2),
            Expires = end,
            Claims = user is null ? null : new Dictionary<string, object> { ["sub"] = user },
            SigningCredentials = new SigningCredentials(key, SecurityAlgorithms.HmacSha256),
        });
    }

    private static CrudClient Client(WebApplicationFactory<Table> application, string? key = null, string? token = null)
    {
        var client = new CrudClient(application.CreateClient());
        if (key is not null)
        {
            client.Http.DefaultRequestHeaders.Add("X-API-Key", key);
        }

        if (token is not null)
        {
            client.Http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);
        }

        return client;
    }

    private WebApplicationFactory<Table> Start(params (string Name, string Value)[] settings) =>
        CrudSite.Start([.. settings, ("Data", _directory.File("data"))]);
}
