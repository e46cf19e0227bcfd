// The application of the peer tests on System.Web, compiled by Mono when the first request comes.
using System.Threading;
using System.Web;

public class PeerApplication : IHttpHandler
{
    public bool IsReusable
    {
        get { return true; }
    }

    public void ProcessRequest(HttpContext context)
    {
        HttpResponse response = context.Response;
        switch (context.Request.Path)
        {
            case "/echo":
                response.ContentType = "application/octet-stream";
                response.AppendHeader("X-Method", context.Request.HttpMethod);
                response.AppendHeader("X-Query", context.Request.Url.Query.TrimStart('?'));
                response.AppendHeader("X-Custom", context.Request.Headers["X-Custom"] ?? "");
                response.AppendHeader("Set-Cookie", "a=1");
                response.AppendHeader("Set-Cookie", "b=2");
                context.Request.InputStream.CopyTo(response.OutputStream);
                break;
            case "/large":
                response.ContentType = "application/octet-stream";
                response.Write(new string('x', 1048576));
                break;
            case "/slow":
                response.Write("first\n");
                response.Flush();
                Thread.Sleep(2000);
                break;
            case "/late":
                response.Write("begun\n");
                response.Flush();
                Thread.Sleep(200);
                response.Write(context.Request.Url.Query.TrimStart('?'));
                break;
            default:
                response.StatusCode = 404;
                break;
        }
    }
}
