using System.Net;
using System.Text;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Http.Extensions;

namespace HelloSample;

/// <summary>The one HTML page. Everything that came with the request is encoded before it is shown.</summary>
internal static class HelloPage
{
    public static IResult Render(HttpRequest request, IFormCollection? form = null)
    {
        var connection = request.HttpContext.Connection;
        var webServer = request.HttpContext.GetServerVariable("SERVER_SOFTWARE") ?? "none";
        var html = $$"""
            <!DOCTYPE html>
            <html lang="en">
            <head>
              <meta charset="utf-8">
              <meta name="viewport" content="width=device-width, initial-scale=1">
              <title>Hello over FastCGI</title>
              <link rel="icon" href="data:,">
              <style>{{Style}}</style>
            </head>
            <body>
              <main>
                <h1>Hello over FastCGI</h1>
                <p>An ASP.NET Core application behind a web server, without HTTP between the two.</p>

                <h2>The request</h2>
                <dl>
                  <dt>Method</dt><dd>{{Encode(request.Method)}}</dd>
                  <dt>URI</dt><dd>{{Encode(request.GetEncodedUrl())}}</dd>
                  <dt>Protocol</dt><dd>{{Encode(request.Protocol)}}</dd>
                  <dt>Remote address</dt><dd>{{Encode(Address(connection.RemoteIpAddress, connection.RemotePort))}}</dd>
                  <dt>Web server</dt><dd>{{Encode(webServer)}}</dd>
                </dl>

                <h2>A form</h2>
                <form method="post" action="/">
                  <label>Name <input name="name" autocomplete="name" required maxlength="100"></label>
                  <label>Message <textarea name="message" rows="3" maxlength="1000"></textarea></label>
                  <button>Send</button>
                </form>
                {{Posted(form)}}
                <h2>Server-sent events</h2>
                <p><a href="/events">/events</a> has counted to <strong id="count">0</strong> for you.</p>
                <p>Also here: <a href="/plaintext">/plaintext</a> and <a href="/json">/json</a>.</p>
              </main>
              <script>
                const count = document.getElementById("count");
                const listen = () => {
                  const events = new EventSource("/events");
                  events.addEventListener("count", event => count.textContent = event.data);
                  // The browser comes back by itself, but not after an error of the web server, as in a restart.
                  events.onerror = () => events.readyState === EventSource.CLOSED && setTimeout(listen, 3000);
                };
                listen();
              </script>
            </body>
            </html>

            """;
        return Results.Content(html, "text/html; charset=utf-8");
    }

    private const string Style = """

                :root { color-scheme: light dark; background: Canvas; }
                body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
                h2 { margin-top: 2rem; font-size: 1.15rem; }
                dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
                dt { opacity: .7; }
                dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; font-family: ui-monospace, monospace; }
                form { display: grid; gap: .75rem; }
                label { display: grid; gap: .25rem; }
                input, textarea, button { font: inherit; padding: .5rem; }
                button { justify-self: start; padding-inline: 1.5rem; }

        """;

    private static string Posted(IFormCollection? form)
    {
        if (form is null)
        {
            return "";
        }

        var html = new StringBuilder("<h3>What you sent</h3>\n<dl id=\"posted\">\n");
        foreach (var (name, values) in form)
        {
            html.Append($"<dt>{Encode(name)}</dt><dd>{Encode(values.ToString())}</dd>\n");
        }

        return html.Append("</dl>").ToString();
    }

    // A browser that reached the web server over a unix socket has no address.
    private static string Address(IPAddress? address, int port)
        => address is null ? "none" : new IPEndPoint(address, port).ToString();

    private static string Encode(string text) => HtmlEncoder.Default.Encode(text);
}
