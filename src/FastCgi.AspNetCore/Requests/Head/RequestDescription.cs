using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests.Head;

/// <summary>Describes a running request by its params. From bytes alone: the application may run meanwhile.</summary>
internal static class RequestDescription
{
    private const int MostShown = 1024;

    public static RequestSnapshot Of(CgiRequest request, RequestSnapshot snapshot) => snapshot with
    {
        Method = Text(request, KnownParam.RequestMethod),
        Target = Text(request, KnownParam.RequestUri) ?? Text(request, KnownParam.ScriptName),
        ContentLength = request.ContentLength ?? 0,
        User = Text(request, KnownParam.RemoteUser),
        Script = Text(request, KnownParam.ScriptFilename),
    };

    private static string? Text(CgiRequest request, KnownParam param) =>
        request.Params.GetBytes(param) is { IsEmpty: false } value ? RejectedValue.Escape(value, MostShown) : null;
}
