using System.Collections.Concurrent;

namespace FastCgi.SampleTests;

/// <summary>
/// The browsers of all tests, since the start of one takes a second of the processor. Each test has its own while it
/// runs, and finds nothing in it of the tests before.
/// </summary>
public sealed class Browsers : IAsyncDisposable
{
    private readonly ConcurrentBag<Chromium> _all = [];
    private readonly ConcurrentBag<Chromium> _idle = [];

    internal async Task<Chromium> OpenAsync(Viewport viewport, Uri? page = null)
    {
        if (!_idle.TryTake(out var browser))
        {
            browser = await Chromium.StartAsync(viewport);
            browser.Returned = TakeBackAsync;
            _all.Add(browser);
        }

        await browser.ResizeAsync(viewport);
        if (page is not null)
        {
            await browser.OpenAsync(page);
        }

        return browser;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var browser in _all)
        {
            await browser.EndAsync();
        }
    }

    private async Task TakeBackAsync(Chromium browser)
    {
        await browser.RenewAsync();
        _idle.Add(browser);
    }
}
