namespace FastCgi.SampleTests.Form;

/// <summary>The sample as a process behind nginx, which has the sample's own file.</summary>
public sealed class FormBehindNginx : IFormSite, IAsyncLifetime
{
    private SampleBehindNginx? _site;

    public HttpClient Client => _site!.Client;

    public string ClientAddress => "127.0.0.1";

    public async ValueTask InitializeAsync() => _site = await SampleBehindNginx.StartAsync("Form");

    public ValueTask DisposeAsync() => _site?.DisposeAsync() ?? ValueTask.CompletedTask;
}
