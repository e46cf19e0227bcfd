using System.Net.Http.Headers;

namespace FastCgi.SampleTests.CrudApi;

/// <summary>Sends requests to the API.</summary>
/// <param name="application">What ends with it.</param>
public sealed class CrudClient(HttpClient http, IDisposable? application = null) : IDisposable
{
    private static readonly TimeSpan _deadline = TimeSpan.FromSeconds(30);

    public HttpClient Http => http;

    public Task<CrudAnswer> GetAsync(string target) => SendAsync(HttpMethod.Get, target);

    public Task<CrudAnswer> PostAsync(string target, string json) => SendAsync(HttpMethod.Post, target, json);

    public Task<CrudAnswer> PutAsync(string target, string json) => SendAsync(HttpMethod.Put, target, json);

    public Task<CrudAnswer> PatchAsync(string target, string json) => SendAsync(HttpMethod.Patch, target, json);

    public Task<CrudAnswer> DeleteAsync(string target) => SendAsync(HttpMethod.Delete, target);

    public async Task<CrudAnswer> SendAsync(
        HttpMethod method, string target, string? body = null, string contentType = "application/json", string? origin = null)
    {
        using var request = new HttpRequestMessage(method, new Uri(target, UriKind.Relative));
        if (body is not null)
        {
            request.Content = new StringContent(body, Encoding.UTF8);
            request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse(contentType);
        }

        if (origin is not null)
        {
            request.Headers.Add("Origin", origin);
        }

        using var response =
            await http.SendAsync(request).Within($"the answer to {method} {target}", deadline: _deadline);
        var text = await response.Content.ReadAsStringAsync().Within("its body", deadline: _deadline);
        return new CrudAnswer(
            response.StatusCode,
            text,
            response.Content.Headers.ContentType?.MediaType,
            response.Headers.Location?.OriginalString,
            string.Join(", ", response.Content.Headers.Allow));
    }

    public void Dispose()
    {
        http.Dispose();
        application?.Dispose();
    }
}
