namespace FastCgi.WebServerTests.Equality;

/// <summary>The application on one server, and how it answers.</summary>
internal sealed class EqualitySide : IAsyncDisposable
{
    private readonly EqualityApp _app;
    private readonly Site _site;

    private EqualitySide(EqualityApp app, Site site)
    {
        _app = app;
        _site = site;
    }

    public static async Task<EqualitySide> StartAsync(BackEndKind backEnd)
    {
        var app = new EqualityApp();
        var site = await Site.StartAsync(backEnd, app.Configure, EqualityApp.Build);

        // Some rows make the application fail.
        site.Log.ExpectError(_ => true);
        return new EqualitySide(app, site);
    }

    public async Task<Aspects> AnswerAsync(EqualityRow row)
    {
        var response = await _site.TrySendAsync(row.Request);
        return new Aspects(response, _app.TakeLast());
    }

    public ValueTask DisposeAsync() => _site.DisposeAsync();
}
