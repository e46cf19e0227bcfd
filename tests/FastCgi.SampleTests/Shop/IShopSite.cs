namespace FastCgi.SampleTests.Shop;

/// <summary>The Shop sample, however it is served.</summary>
public interface IShopSite
{
    /// <summary>A client with cookies of its own, which follows no redirect and asks for localhost.</summary>
    HttpClient CreateBrowser();
}
