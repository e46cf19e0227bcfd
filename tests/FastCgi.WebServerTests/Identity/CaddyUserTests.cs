namespace FastCgi.WebServerTests.Identity;

public sealed class CaddyUserTests : UserTests
{
    /// <summary>Of the documentation, and of good measure: a second for each password that is verified.</summary>
    private const string Documented = "ann $2a$14$KyIlzvuTcT4rZHhG6SDEYuji6vKtS4saPdzklyX6.8aleCXuQv7oe";

    /// <summary>The same password, at the least cost that bcrypt has.</summary>
    private const string Hash = "$2y$04$nJE4TN/YKuuuFjy9cvZwhOQLQH2gCRCFKQHUlQ8EjqVJRelukmcrG";

    private protected override Task<WebServer> StartAsync(ServedApp app, string passwords) =>
        WebServer.StartAsync(new CaddyServer(), endPoint => $$"""
            http://:{{endPoint.Port}} {
            bind {{endPoint.Address}}
            {{IdentityPage.Users("caddyfile")
                .WithSocket(app)
                .With(Documented, string.Join("\n\t", ((string[])["ann", "bob", "zo\u00EB"]).Select(user => $"{user} {Hash}")))}}
            }
            """);
}
