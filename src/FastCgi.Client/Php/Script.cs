namespace FastCgi.Client.Php;

/// <summary>A script and what follows its name in the path, decoded.</summary>
/// <param name="Name">SCRIPT_NAME below the document root, with the slash in front.</param>
/// <param name="PathInfo">PATH_INFO: empty, or with a slash in front.</param>
internal readonly record struct Script(byte[] Name, byte[] PathInfo);
