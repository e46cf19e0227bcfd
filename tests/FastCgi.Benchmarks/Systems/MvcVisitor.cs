using System.Net;
using System.Text.RegularExpressions;

namespace FastCgi.Benchmarks.Systems;

/// <summary>A visitor of samples/Mvc, who signs in and leaves notes where there are few.</summary>
internal static partial class MvcVisitor
{
    private const int Notes = 50;

    /// <returns>The cookies of somebody who is signed in.</returns>
    /// <exception cref="HttpRequestException">The application does not do as a visitor expects.</exception>
    public static async Task<string> EnterAsync(Uri address)
    {
        var cookies = new CookieContainer();
        using var client = new HttpClient(new SocketsHttpHandler { CookieContainer = cookies }) { BaseAddress = address };
        await WriteNotesAsync(client);

        string form = await client.GetStringAsync("account/sign-in");
        using var response = await client.PostAsync("account/sign-in", new FormUrlEncodedContent(
            new Dictionary<string, string>
            {
                ["UserName"] = "demo",
                ["Password"] = "fastcgi",
                ["__RequestVerificationToken"] = Token().Match(form).Groups[1].Value,
            }));
        response.EnsureSuccessStatusCode();
        return cookies.GetCookieHeader(address);
    }

    private static async Task WriteNotesAsync(HttpClient client)
    {
        var there = await client.GetFromJsonAsync<object[]>($"api/notes?take={Notes}");
        for (int number = there!.Length; number < Notes; number++)
        {
            using var response = await client.PostAsJsonAsync(
                "api/notes", new { Author = $"Visitor {number}", Text = new string('x', 100) });
            response.EnsureSuccessStatusCode();
        }
    }

    [GeneratedRegex("""name="__RequestVerificationToken"[^>]* value="([^"]+)""")]
    private static partial Regex Token();
}
