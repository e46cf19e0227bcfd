using System.Net.Http.Headers;

namespace FastCgi.Benchmarks.FrontEnd;

/// <summary>By a load generator that speaks HTTP, usually through front.</summary>
internal sealed class HttpRoute(IFrontEnd front, IHttpLoad load) : IRoute
{
    // Without cookies of its own, and without what a redirect hides.
    private readonly HttpClient _client = new(
        new SocketsHttpHandler { UseCookies = false, AllowAutoRedirect = false });

    public TimeSpan ReadFrontCpu() => front.ReadUsage().Cpu;

    public async Task<Answer> AskAsync(RunningTarget target, Workload workload)
    {
        if (workload.Message is not null)
        {
            // nginx upgrades nothing that goes through fastcgi_pass.
            return target.Target.Protocol == TargetProtocol.FastCgi || load is not LoadByWorkload
                ? new Answer(404, [])
                : new Answer(200, await WebSocketLoad.AskAsync(front.AddressOf(target), workload));
        }

        using var request = new HttpRequestMessage(
            new HttpMethod(workload.Method), new Uri(front.AddressOf(target), workload.Target));
        if (workload.Cookie is not null)
        {
            request.Headers.Add("Cookie", workload.Cookie);
        }

        if (workload.Body is not null)
        {
            request.Content = new ByteArrayContent(workload.Body);
            request.Content.Headers.ContentType = new MediaTypeHeaderValue(workload.ContentType);
        }

        using var response = await _client.SendAsync(request);
        return new Answer((int)response.StatusCode, await response.Content.ReadAsByteArrayAsync());
    }

    public Task<LoadResult> LoadAsync(RunningTarget target, LoadOrder order) =>
        load.RunAsync(front.AddressOf(target), order);

    public ValueTask DisposeAsync()
    {
        _client.Dispose();
        return front.DisposeAsync();
    }
}
