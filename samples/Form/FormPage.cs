using System.Net;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Http.Extensions;

namespace FormSample;

/// <summary>The page. Everything that came with the request is encoded before it is shown.</summary>
internal static class FormPage
{
    /// <param name="request">What the page shows.</param>
    /// <param name="posted">What came with it.</param>
    /// <param name="problem">Why not all is shown; empty when all went well.</param>
    public static string Render(HttpRequest request, string posted, string problem) => $$"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <title>Hello World!</title>
          <link rel="icon" href="data:,">
          <style>
            :root { color-scheme: light dark; background: Canvas; }
            body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
            dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
            dt { font-weight: bold; }
            dd { margin: 0; overflow-wrap: anywhere; }
            form { display: flex; gap: .5rem; }
            input { flex: 1; }
            input, button { font: inherit; padding: .5rem; }
            pre { padding: .75rem; border: 1px solid; min-height: 1.5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
            ::placeholder { color: inherit; opacity: .75; }
            #problem { color: light-dark(#b3261e, #ff9c93); }
            pre:empty::before { content: "Nothing yet."; font-style: italic; }
          </style>
        </head>
        <body>
          <main>
            <h1>Hello World!</h1>
            <dl>
              <dt>Request URI</dt><dd id="uri">{{Encode(request.GetEncodedPathAndQuery())}}</dd>
              <dt>Request method</dt><dd id="method">{{Encode(request.Method)}}</dd>
              <dt>Remote address</dt><dd id="address">{{Encode(Address(request.HttpContext.Connection.RemoteIpAddress))}}</dd>
            </dl>
            <form method="post">
              <input name="data" aria-label="Data" placeholder="Data" aria-describedby="problem">
              <button>Submit</button>
            </form>
            <p id="problem" role="alert">{{Encode(problem)}}</p>
            <h2>Posted data</h2>
            <pre id="posted">{{Encode(posted)}}</pre>
          </main>
        </body>
        </html>

        """;

    // A browser that reached the web server over a unix socket has no address.
    private static string Address(IPAddress? address) => address?.ToString() ?? "none";

    private static string Encode(string text) => HtmlEncoder.Default.Encode(text);
}
