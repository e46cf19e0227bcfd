using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// Tells the listeners of hosting's diagnostics of a request whose body broke a rule; the features have
/// <see cref="IBadRequestExceptionFeature"/>, as with Kestrel's event of that kind.
/// </summary>
internal static class BadRequestEvent
{
    public const string Name = "FastCgi.AspNetCore.BadRequest";

    [UnconditionalSuppressMessage(
        "Trimming", "IL2026", Justification = "A feature collection is read by its interface.")]
    public static void Write(DiagnosticListener? listener, IFeatureCollection features)
    {
        if (listener is not null && listener.IsEnabled(Name))
        {
            listener.Write(Name, features);
        }
    }
}
