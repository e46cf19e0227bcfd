using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The shared strings for the usual methods. Case matters: <c>get</c> is not one of them.</summary>
internal static class MethodNames
{
    public static string? Find(ReadOnlySpan<byte> method) => method.Length switch
    {
        3 when method.SequenceEqual("GET"u8) => HttpMethods.Get,
        3 when method.SequenceEqual("PUT"u8) => HttpMethods.Put,
        4 when method.SequenceEqual("POST"u8) => HttpMethods.Post,
        4 when method.SequenceEqual("HEAD"u8) => HttpMethods.Head,
        5 when method.SequenceEqual("PATCH"u8) => HttpMethods.Patch,
        5 when method.SequenceEqual("TRACE"u8) => HttpMethods.Trace,
        6 when method.SequenceEqual("DELETE"u8) => HttpMethods.Delete,
        7 when method.SequenceEqual("OPTIONS"u8) => HttpMethods.Options,
        7 when method.SequenceEqual("CONNECT"u8) => HttpMethods.Connect,
        _ => null,
    };
}
