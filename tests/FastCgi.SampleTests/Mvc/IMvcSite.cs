namespace FastCgi.SampleTests.Mvc;

/// <summary>The Mvc sample, however it is served.</summary>
public interface IMvcSite
{
    /// <summary>A client with cookies of its own, which follows no redirect and asks for localhost.</summary>
    HttpClient CreateBrowser();
}
