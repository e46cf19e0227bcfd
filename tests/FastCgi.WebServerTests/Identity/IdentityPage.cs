namespace FastCgi.WebServerTests.Identity;

/// <summary>The configurations of docs/users.md, which are what these tests run.</summary>
internal static class IdentityPage
{
    /// <summary>The lines by which this web server verifies users.</summary>
    public static string Users(string language) => Block("Users whom the web server has verified", language);

    /// <summary>The lines by which this web server passes certificates on.</summary>
    public static string Certificates(string language) => Block("Client certificates", language);

    /// <summary>The lines by which this web server asks the application in both roles.</summary>
    public static string Authorizers(string language) => Block("Authorizers", language);

    /// <summary>The text with this test's file or address in the place of the documented one, which must be there.</summary>
    public static string With(this string text, string documented, string actual)
    {
        Assert.Contains(documented, text, StringComparison.Ordinal);
        return text.Replace(documented, actual, StringComparison.Ordinal);
    }

    /// <inheritdoc cref="With"/>
    public static string WithSocket(this string text, ServedApp app) => text.With("/run/app/app.sock", app.SocketPath);

    private static string Block(string section, string language) =>
        Assert.Single(MarkdownBlocks.Read(Path.Combine(Repository.Root, "docs", "users.md"), language, section));
}
