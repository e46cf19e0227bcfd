using Microsoft.AspNetCore.Hosting.Server;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>
/// Makes the server of the application around the FastCGI server. A gateway in the same process registers one, before
/// or after <c>UseFastCgi</c>; of several the last one counts.
/// </summary>
internal delegate IServer ServerFront(IServiceProvider services, FastCgiServer server);
