namespace FastCgi.Client.Php;

/// <summary>A script and the part of the path after its name, decoded.</summary>
/// <param name="Name">SCRIPT_NAME below the document root, with a leading slash.</param>
/// <param name="PathInfo">PATH_INFO: empty, or with a leading slash.</param>
internal readonly record struct Script(byte[] Name, byte[] PathInfo);
