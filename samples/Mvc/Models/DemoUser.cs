namespace MvcSample.Models;

/// <summary>The only account. The sign-in page prints it: this sample is about cookies, not passwords.</summary>
internal static class DemoUser
{
    public const string Name = "demo";
    public const string Password = "fastcgi";

    public static bool Matches(SignInInput input) => input is { UserName: Name, Password: Password };
}
