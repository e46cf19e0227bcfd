namespace FastCgi.WebServerTests.Samples;

/// <summary>The Mvc sample, however it is served.</summary>
public interface IMvcSite
{
    /// <summary>A client with its own cookies, which follows no redirect and asks for the host <c>localhost</c>.</summary>
    HttpClient CreateBrowser();
}
