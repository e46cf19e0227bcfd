namespace FastCgi.SampleTests.Pages;

/// <summary>One browser for all walks.</summary>
public sealed class PageBrowser : IAsyncLifetime
{
    private Chromium? _chromium;

    internal Chromium Chromium => _chromium!;

    public async ValueTask InitializeAsync() => _chromium = await Chromium.StartAsync(Viewport.Desktop);

    public ValueTask DisposeAsync() => _chromium?.DisposeAsync() ?? ValueTask.CompletedTask;
}
