// The workloads on System.Web, compiled by Mono when the first request comes.
using System.Threading;
using System.Web;

public class Workloads : IHttpHandler
{
    public bool IsReusable
    {
        get { return true; }
    }

    public void ProcessRequest(HttpContext context)
    {
        switch (context.Request.Path)
        {
            case "/plaintext":
                Send(context.Response, "text/plain", "Hello, World!");
                break;
            case "/block":
                Thread.Sleep(5);
                Send(context.Response, "text/plain", "Hello, World!");
                break;
            case "/json":
                Send(context.Response, "application/json", "{\"message\":\"Hello, World!\"}");
                break;
            case "/form":
                Send(context.Response, "text/plain", "fields=" + context.Request.Form.Count);
                break;
            default:
                context.Response.StatusCode = 404;
                break;
        }
    }

    private static void Send(HttpResponse response, string type, string body)
    {
        response.ContentType = type;
        response.Write(body);
    }
}
