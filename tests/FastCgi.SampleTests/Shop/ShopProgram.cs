namespace FastCgi.SampleTests.Shop;

/// <summary>Where the built shop and its sources are.</summary>
internal static class ShopProgram
{
    public static string File { get; } = Path.Combine(AppContext.BaseDirectory, "Shop.dll");

    public static string Directory { get; } = Path.Combine(Repository.Root, "samples", "Shop");

    /// <summary>In the environment of tests, which is Development, browsers would not keep static files.</summary>
    public const string KeepsFiles = "EnableStaticAssetsDevelopmentCaching";
}
