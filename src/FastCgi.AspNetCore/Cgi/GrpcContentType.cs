using System.Text;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The content types of gRPC.</summary>
internal static class GrpcContentType
{
    private static ReadOnlySpan<byte> Prefix => "application/grpc"u8;

    /// <summary>
    /// <c>application/grpc</c>, alone or with a message format (<c>+proto</c>) or parameters; not gRPC-Web, which is
    /// <c>application/grpc-web</c>.
    /// </summary>
    public static bool IsNative(ReadOnlySpan<byte> contentType) =>
        contentType.Length >= Prefix.Length
        && Ascii.EqualsIgnoreCase(contentType[..Prefix.Length], Prefix)
        && (contentType.Length == Prefix.Length || contentType[Prefix.Length] is (byte)'+' or (byte)';' or (byte)' ');
}
